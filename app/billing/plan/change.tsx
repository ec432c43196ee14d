import { data, redirect } from "react-router";
import { requireUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import type { Route } from "./+types/change.ts";
import { confirmChange, loadChange } from "./change.server.ts";
import { ChangeOptions, ChangeReviewed } from "./change-parts.tsx";
import { notDone } from "./plan-form.ts";
import { BackToDashboard, NotDoneNotice, PlanPage } from "./plan-page.tsx";

export const headers: Route.HeadersFunction = ({ actionHeaders, loaderHeaders }) =>
  actionHeaders.has("Retry-After") ? actionHeaders : loaderHeaders;

export async function loader(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  const query = new URL(args.request.url).searchParams;
  const page = await loadChange(app, user, query.get("price"));
  if (!page) throw redirect("/dashboard");
  const isAgain = query.has("again");
  return data({ ...page, isAgain }, { status: page.failure?.status ?? 200, headers: page.failure?.headers });
}

export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  const confirmed = await confirmChange(app, user, await readForm(args.request));
  if (!confirmed.ok) return data(...notDone(confirmed));
  throw redirect(confirmed.path, 303);
}

export default function Change({ loaderData, actionData }: Route.ComponentProps) {
  const { present, options, review, isAgain, failure, pending, cannot } = loaderData;
  const title = review
    ? `Change to ${review.planName}, ${review.price.interval === "year" ? "yearly" : "monthly"}`
    : "Change your plan";
  return (
    <PlanPage title={title}>
      <NotDoneNotice answer={actionData} />
      {failure && <NotDoneNotice answer={failure} />}
      {isAgain && !actionData && review && (
        <Notice tone="plain">
          Nothing was changed yet: the amounts are calculated anew. Please look at them once more.
        </Notice>
      )}
      {cannot && <p>{cannot}</p>}
      {!cannot && pending && !review && (
        <PostForm action="/dashboard" className="grid gap-3 justify-items-start">
          <p>{pending}</p>
          <input type="hidden" name="do" value="resume" />
          <SubmitButton isQuiet pendingLabel="Keeping…">
            {`Keep ${present.name}`}
          </SubmitButton>
        </PostForm>
      )}
      {!cannot && !review && <ChangeOptions present={present} options={options} />}
      {review && <ChangeReviewed present={present} review={review} />}
      {review ? (
        <p>
          <PageLink href="/subscription/change" className="inline-flex items-center min-h-11">
            Back to the other plans
          </PageLink>
        </p>
      ) : (
        <BackToDashboard />
      )}
    </PlanPage>
  );
}
