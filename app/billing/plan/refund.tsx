import { data, redirect } from "react-router";
import { z } from "zod";
import { requireUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { parseForm } from "../../http/form.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { replyPromise } from "../../ui/offer.ts";
import { sendPress } from "../../ui/send-form.ts";
import type { Site } from "../../ui/site.ts";
import { BILLING_LIMITS } from "../limits.ts";
import { formatMoney } from "../plans.ts";
import type { Route } from "./+types/refund.ts";
import { requestPlanChange } from "./apply-plan-change.server.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import type { PlanWithRefunds } from "./plan-overview.ts";
import { failureResponse, PlanPage } from "./plan-page.tsx";
import { askForRefundByHand, countRefund, isRefundDecidedByHand } from "./refund-count.server.ts";
import { RefundForm } from "./refund-form.tsx";
import { isOver } from "./rules.ts";

export async function loader(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  const plan = await readPlanOverview(app, user.id);
  if (!plan || isOver(plan.status)) throw redirect("/dashboard");
  const isAsked = new URL(args.request.url).searchParams.has("asked");
  const isByHand = await isRefundDecidedByHand(app, user.email);
  return { plan, isAsked, byHand: isByHand ? sayByHand(app.config.site, plan, isAsked) : null };
}

function sayByHand(site: Site, { name, refundable, price }: PlanWithRefunds, isAsked: boolean): string {
  const total = formatMoney(refundable?.total ?? 0, price.currency);
  return isAsked
    ? `We have your question about ${total} for ${name}. A person looks at it and answers by email. ${replyPromise(site)} Until then the plan goes on, and today counts as the day you asked.`
    : `You have had two refunds in the last twelve months. A third isn’t automatic: someone on our team reviews it and answers by email. ${replyPromise(site)} Today counts as the day you asked.`;
}

/** `total`: what the page said is paid back, in minor units. */
const REFUND_FIELDS = { total: z.string().regex(/^\d{1,12}$/) };

export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const fields = await parseForm(args.request, REFUND_FIELDS);
  const { app } = fromContext(args.context);
  const plan = await readPlanOverview(app, user.id);
  if (plan?.refundable?.total !== Number(fields.total)) {
    const message = "The refund amount has changed. Please confirm again.";
    return data({ message }, { status: 409 });
  }
  if (await isRefundDecidedByHand(app, user.email)) {
    const amount = formatMoney(plan.refundable.total, plan.price.currency);
    const asked = await withLimit(app, BILLING_LIMITS.planChangesByUser, user.id, () =>
      askForRefundByHand(app, user, { ...plan, amount }),
    );
    if (asked) return data(...failureResponse(asked));
    throw redirect("/subscription/refund?asked=1", 303);
  }
  const asked = await requestPlanChange(app, user.id, { kind: "refund" }, (tx, { subscriptionId }) =>
    countRefund(tx, app.config, user.email, subscriptionId),
  );
  if (!asked.ok) return data(...failureResponse(asked));
  throw redirect("/dashboard", 303);
}

export const clientAction = sendPress;

export default function Refund({ loaderData, actionData }: Route.ComponentProps) {
  const { plan, byHand, isAsked } = loaderData;
  const title = byHand && isAsked ? "We look at your refund" : `Refund ${plan.name}`;
  return (
    <PlanPage title={plan.refundable ? title : "No refund left"}>
      <RefundForm {...loaderData} answer={actionData} />
    </PlanPage>
  );
}
