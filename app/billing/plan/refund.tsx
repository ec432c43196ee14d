import { data, redirect } from "react-router";
import { z } from "zod";
import { requireUser } from "../../auth/session.server.ts";
import { refundTerms, useFeatures } from "../../entitlements/features.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { replyPromise } from "../../ui/offer.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useSite } from "../../ui/site.ts";
import { BILLING_LIMITS } from "../limits.ts";
import { formatMoney } from "../plans.ts";
import type { Route } from "./+types/refund.ts";
import { askForPlan, readFields } from "./ask.server.ts";
import { notDone } from "./plan-form.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import { BackToDashboard, NotDoneNotice, PlanPage } from "./plan-page.tsx";
import { askForRefundByHand, countRefund, isRefundDecidedByHand } from "./refund-count.server.ts";
import { isOver } from "./states.ts";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  const plan = await readPlanOverview(app, user.id);
  if (!plan || isOver(plan.status)) throw redirect("/dashboard");
  return {
    plan,
    isByHand: await isRefundDecidedByHand(app, user.email),
    isAsked: new URL(args.request.url).searchParams.has("asked"),
  };
}

/** `total`: what the page said is paid back, in minor units. */
const REFUND_FIELDS = { total: z.string().regex(/^\d{1,12}$/) };

export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const fields = readFields(await readForm(args.request), REFUND_FIELDS);
  if (!fields) throw data(null, { status: 400 });
  const { app } = fromContext(args.context);
  const plan = await readPlanOverview(app, user.id);
  if (plan?.refundable?.total !== Number(fields.total)) {
    const message =
      "Nothing was changed yet, because the amount is another by now. Please look at it once more.";
    return data({ message }, { status: 409 });
  }
  if (await isRefundDecidedByHand(app, user.email)) {
    const amount = formatMoney(plan.refundable.total, plan.price.currency);
    const asked = await withLimit(app, BILLING_LIMITS.planChangesByUser, user.id, () =>
      askForRefundByHand(app, user, { ...plan, amount }),
    );
    if (asked) return data(...notDone(asked));
    throw redirect("/subscription/refund?asked=1", 303);
  }
  const asked = await askForPlan(app, user.id, { kind: "refund" }, (tx, { subscriptionId }) =>
    countRefund(tx, app.config, user.email, subscriptionId),
  );
  if (!asked.ok) return data(...notDone(asked));
  throw redirect("/dashboard", 303);
}

export default function Refund({ loaderData, actionData }: Route.ComponentProps) {
  const { plan, isByHand, isAsked } = loaderData;
  const site = useSite();
  const { name, refundable, price } = plan;
  const features = useFeatures();
  if (!refundable) {
    return (
      <PlanPage title="No refund left">
        <NotDoneNotice answer={actionData} />
        <p>{`There is nothing to pay back for ${name} any more. ${refundTerms(plan.tier, features)}`}</p>
        <p>
          You can still <PageLink href="/subscription/cancel">cancel the plan</PageLink>: you keep it until{" "}
          <FormattedEnd instant={plan.currentPeriodEnd} />.
        </p>
        <BackToDashboard />
      </PlanPage>
    );
  }
  const total = formatMoney(refundable.total, price.currency);
  const isWithdrawable = plan.withdrawUntil !== null && site.withdrawal;
  const withdrawal = isWithdrawable && (
    <p>
      Your right to withdraw from the contract stays as it is:{" "}
      <PageLink href="/subscription/withdraw">withdraw here</PageLink> and everything is paid back at once.
    </p>
  );
  if (isByHand && isAsked) {
    return (
      <PlanPage title="We look at your refund">
        <p role="status">
          {`We have your question about ${total} for ${name}. A person looks at it and answers by email. ${replyPromise(site)} Until then the plan goes on, and today counts as the day you asked.`}
        </p>
        {withdrawal}
        <BackToDashboard />
      </PlanPage>
    );
  }
  if (isByHand) {
    return (
      <PlanPage title={`Refund ${name}`}>
        <NotDoneNotice answer={actionData} />
        <p>
          {`You have had two refunds in the last twelve months. A third is not paid by itself: a person looks at it and answers by email. ${replyPromise(site)} Today counts as the day you asked.`}
        </p>
        {withdrawal}
        <PostForm className="flex flex-wrap gap-4">
          <input type="hidden" name="total" value={refundable.total} />
          <SubmitButton pendingLabel="Sending…">{`Ask for ${total} back`}</SubmitButton>
          <ButtonLink href="/dashboard" isQuiet>
            Keep my plan
          </ButtonLink>
        </PostForm>
      </PlanPage>
    );
  }
  return (
    <PlanPage title={`Refund ${name}`}>
      <NotDoneNotice answer={actionData} />
      <ul className="list">
        <li>{`You get ${total} back, the way you paid. Banks take up to ten days to show it.`}</li>
        <li>{`${name} ends right away, and nothing more is charged.`}</li>
        <li>Your account and everything you saved in it stay. You can subscribe again any time.</li>
        {refundable.until && (
          <li>
            You can have all of it back until <FormattedEnd instant={refundable.until} />.
          </li>
        )}
      </ul>
      <PostForm className="flex flex-wrap gap-4">
        <input type="hidden" name="total" value={refundable.total} />
        <SubmitButton isDangerous pendingLabel="Refunding…">
          {`Refund ${total} and end my plan`}
        </SubmitButton>
        <ButtonLink href="/dashboard" isQuiet>
          Keep my plan
        </ButtonLink>
      </PostForm>
    </PlanPage>
  );
}
