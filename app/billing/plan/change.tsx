import { data, redirect } from "react-router";
import { requireUser } from "../../auth/session.server.ts";
import { refundTerms, useFeatures } from "../../entitlements/features.ts";
import { Fact, PlanEnd } from "../../entitlements/subscription-facts.tsx";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { chargedAmount, formatMoney, includingTax, monthlyAmount, type Price } from "../plans.ts";
import type { Route } from "./+types/change.ts";
import { confirmChange, loadChange } from "./change.server.ts";
import type { ChangeOption, ChangeReview } from "./change-review.server.ts";
import { Undo } from "./plan-notice.tsx";
import type { PlanOverview } from "./plan-overview.ts";
import { BackToDashboard, FailureNotice, failureResponse, PlanPage } from "./plan-page.tsx";

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
  if (!confirmed.ok) return data(...failureResponse(confirmed));
  throw redirect(confirmed.path, 303);
}

export default function Change({ loaderData, actionData }: Route.ComponentProps) {
  const { plan, options, review, isAgain, failure, cannot } = loaderData;
  const title = review ? titleOf(plan, review) : "Change your plan";
  return (
    <PlanPage title={title}>
      <FailureNotice message={actionData?.message} />
      <FailureNotice message={failure?.message} />
      {isAgain && !actionData && review && (
        <Notice tone="plain">These amounts have changed. Please check and confirm again.</Notice>
      )}
      {cannot && <p>{cannot}</p>}
      {!cannot && plan.nextPlan && !review && (
        <>
          <p>
            It changes to {plan.nextPlan.name} on <PlanEnd tier={plan.tier} instant={plan.currentPeriodEnd} />
            .
          </p>
          <Undo isQuiet pendingLabel="Keeping…">{`Keep ${plan.name}`}</Undo>
        </>
      )}
      {!cannot && !review && <ChangeOptions plan={plan} options={options} />}
      {review && <ChangeReviewed plan={plan} review={review} />}
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

function titleOf(plan: PlanOverview, { planName, price }: ChangeReview): string {
  const period = `${price.interval}ly`;
  return planName === plan.name
    ? `Switch to ${period} billing`
    : `Change to ${planName.replaceAll(" ", "\u00a0")}, ${period}`;
}

function ChangeOptions({ plan, options }: { plan: PlanOverview; options: ChangeOption[] }) {
  return (
    <>
      <p>{`You have ${plan.name}, ${chargedAmount(plan.price)}${plan.plusTax}.`}</p>
      {options.length === 0 && <p>There is no other plan to change to at the moment.</p>}
      <dl className="w-full">
        {options.map(({ price, planName, happens }) => (
          <div key={price.id} className="account-line">
            <dt>
              <strong className="text-ink">
                {planName}, {price.interval}ly
              </strong>
            </dt>
            <dd>
              <div>
                <span className="amount">{chargedAmount(price)}</span> ({difference(plan.price, price)})
              </div>
              <div className="text-quiet">
                {happens === "now" ? (
                  "Starts right away"
                ) : (
                  <>
                    Starts on <PlanEnd tier={plan.tier} instant={plan.currentPeriodEnd} />
                  </>
                )}
              </div>
            </dd>
            <dd>
              <PageLink
                href={`/subscription/change?${new URLSearchParams({ price: price.id })}`}
                className="inline-flex items-center min-h-11"
              >
                See details
                <span className="sr-only">{` ${planName}, ${price.interval}ly`}</span>
              </PageLink>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function ChangeReviewed({ plan, review }: { plan: PlanOverview; review: ChangeReview }) {
  const { price, planName, happens, due, tax, taken, next, startsAt, terms } = review;
  const features = useFeatures();
  const isNow = happens === "now";
  const isSwitch = planName === plan.name;
  const paid = formatMoney(Math.max(due, 0), price.currency);
  return (
    <>
      <dl className="grid w-full">
        <Fact name="Now">{`${plan.name}, ${chargedAmount(plan.price)}`}</Fact>
        <Fact name="New plan">{`${planName}, ${chargedAmount(price)}`}</Fact>
        <Fact name="Starts">{isNow ? "Right away" : <PlanEnd tier={plan.tier} instant={startsAt} />}</Fact>
        <Fact name="You pay today">
          {due > 0 ? paid + includingTax(tax, price.currency) : "Nothing"}
          {taken &&
            ` (${formatMoney(taken.price, price.currency)} minus ${formatMoney(taken.left, price.currency)} left on ${plan.name})`}
          {isNow && due > 0 && !taken && ` (what is left of ${plan.name} is taken off)`}
          {due < 0 && ` (${formatMoney(-due, price.currency)} is credited to your next payments)`}
        </Fact>
        <Fact name="Next payment">
          {formatMoney(next.amount, price.currency) + includingTax(next.tax, price.currency)}
        </Fact>
      </dl>
      {!isNow && (
        <p>
          You {isSwitch ? `stay on ${plan.price.interval}ly billing` : `keep ${plan.name}`} until then, and
          can undo this on your dashboard.
        </p>
      )}
      <PostForm className="grid gap-3 justify-items-start">
        <input type="hidden" name="price" value={price.id} />
        <input type="hidden" name="at" value={Math.floor(startsAt.getTime() / 1000)} />
        <input type="hidden" name="due" value={due} />
        <SubmitButton pendingLabel="Changing…">
          {due > 0
            ? `Pay ${paid} and ${isSwitch ? "switch" : "change plan"}`
            : isSwitch
              ? `Switch to ${price.interval}ly`
              : `Change to ${planName}`}
        </SubmitButton>
        <p className="text-[0.9375rem]">{terms}</p>
        <p className="text-quiet text-[0.9375rem]">{refundTerms(review.tier, features)}</p>
      </PostForm>
    </>
  );
}

function difference(from: Price, to: Price): string {
  if (to.interval !== from.interval) {
    return to.interval === "year"
      ? `${formatMoney(monthlyAmount(to), to.currency)} a month`
      : `${formatMoney(12 * to.unitAmount, to.currency)} a year`;
  }
  const more = to.unitAmount - from.unitAmount;
  if (more === 0) return "the same";
  return `${formatMoney(Math.abs(more), to.currency)} ${more > 0 ? "more" : "less"}`;
}
