import { redirect, type ShouldRevalidateFunctionArgs } from "react-router";
import { hasLostCookie, readUser, requireUser } from "../auth/session.server.ts";
import { categoriesIn } from "../categories/carried.ts";
import { categoriesForm, readCategories, saveCategories } from "../categories/categories.server.ts";
import { type CategoryInput, MAX_CATEGORIES } from "../categories/category-input.ts";
import { CHANGED_ELSEWHERE } from "../categories/fields.ts";
import { useFeatures } from "../entitlements/features.ts";
import { fromContext } from "../http/context.server.ts";
import { pageUrl } from "../http/page-url.ts";
import { withReturnTo } from "../http/safe-path.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PrivateHead } from "../ui/private-page.tsx";
import type { FormAnswer } from "../ui/route-form.ts";
import type { Route } from "./+types/categories.ts";
import { CategoriesForm, CategoryList } from "./categories-form.tsx";
import { ACCOUNT_LIMITS } from "./limits.ts";

export { sendForm as clientAction } from "../ui/send-form.ts";

const FAILURE = "Your categories weren’t saved";

export async function loader(args: Route.LoaderArgs) {
  const { searchParams: query, pathname, search } = pageUrl(args.request);
  const words = categoriesIn(query);
  // Visitors with words from “Try it” are probably new.
  if (words.length > 0 && !hasLostCookie(args.request) && !(await readUser(args)))
    throw redirect(withReturnTo("/register", pathname + search, pathname));
  const { id } = await requireUser(args);
  const { categories, revision } = await readCategories(fromContext(args.context).app.db, id);
  const carried = words.filter((each) => !categories.some((saved) => isSame(saved, each)));
  const room = MAX_CATEGORIES - categories.length;
  return {
    categories,
    revision,
    carried: carried.slice(0, room),
    withoutRoom: carried.slice(room),
    isSaved: query.has("saved"),
  };
}

export function action(args: Route.ActionArgs) {
  const { app } = fromContext(args.context);
  return submitForm(args, {
    schema: categoriesForm,
    failure: FAILURE,
    sender: requireUser,
    work: (typed, { id }) =>
      withLimit(app, ACCOUNT_LIMITS.categoriesByUser, id, async () => {
        const refused = await saveCategories(app.db, id, typed);
        return refused ?? redirect("/dashboard/categories?saved=1", 303);
      }),
  });
}

/** Also after a refusal because of a change elsewhere, which the page then shows. */
export function shouldRevalidate({ actionResult, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  const answer: FormAnswer | undefined = actionResult;
  return defaultShouldRevalidate || (answer?.error?.[""]?.includes(CHANGED_ELSEWHERE) ?? false);
}

function isSame(saved: CategoryInput, carried: CategoryInput): boolean {
  return (
    saved.name === carried.name.trim() && saved.keywords === carried.keywords.replaceAll("\r\n", "\n").trim()
  );
}

export default function Categories({ loaderData, actionData }: Route.ComponentProps) {
  const { carried, withoutRoom, isSaved, revision } = loaderData;
  return (
    <div className="page grid gap-6 py-10">
      <PrivateHead title="Your categories" />
      <h1>Your categories</h1>
      <p className="measure">
        Name up to six now.{" "}
        {useFeatures().csv_processing.isOpen ? "They" : "When CSV Processing opens, they’ll"} sort your bank
        transactions, and you can add more.
      </p>
      {isSaved && !actionData && <Notice tone="good">Saved.</Notice>}
      {carried.length > 0 && !actionData && (
        <Notice tone="plain">
          Your words from “Try it” are filled in below. They are not saved yet: press “Save categories” if we
          should keep them.
        </Notice>
      )}
      {withoutRoom.length > 0 && (
        <Notice tone="plain">
          <p>There is no room for:</p>
          <CategoryList categories={withoutRoom} />
        </Notice>
      )}
      <CategoriesForm key={revision} {...loaderData} answer={actionData} failure={FAILURE}>
        <PageLink href="/dashboard" className="inline-flex items-center min-h-11 justify-self-start">
          Back to your dashboard
        </PageLink>
      </CategoriesForm>
    </div>
  );
}
