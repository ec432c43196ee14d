import type { readPlanAndPayments, readPlanInForce } from "./plan-overview.server.ts";
import { isOver } from "./rules.ts";

export type PlanAndPayments = NonNullable<Awaited<ReturnType<typeof readPlanAndPayments>>>;

export type PlanOverview = NonNullable<Awaited<ReturnType<typeof readPlanInForce>>>;
export type PlanWithRefunds = PlanAndPayments["plan"];
export type InvoiceLine = PlanAndPayments["invoices"][number];

export type Situation = ReturnType<typeof situationOf>;

type Facts = Pick<PlanOverview, "status" | "cancelAt" | "pause" | "nextPlan" | "applying" | "daysGiven">;

export function situationOf({ status, cancelAt, pause, nextPlan, applying, daysGiven }: Facts) {
  if (isOver(status)) return "ended";
  if (applying === "refund" || applying === "withdraw") return "refunding";
  if (status === "past_due" || status === "unpaid" || status === "incomplete") return status;
  if (cancelAt) return "ending";
  if (pause || status === "paused") return "paused";
  if (nextPlan) return "changing";
  return status === "trialing" && !daysGiven ? "trial" : "active";
}

/** A payment is due, and the page's notice asks for it. */
export function isDue(plan: PlanOverview): boolean {
  const isOwed = ["past_due", "unpaid", "incomplete"].includes(situationOf(plan));
  return !plan.applying && (isOwed || plan.waitingPlan !== null);
}

/** In minor units. */
export function refundedOf(
  { subscriptionId }: Pick<PlanOverview, "subscriptionId">,
  invoices: readonly Pick<InvoiceLine, "subscriptionId" | "amountRefunded">[],
): number {
  const own = invoices.filter((invoice) => invoice.subscriptionId === subscriptionId);
  return own.reduce((sum, { amountRefunded }) => sum + amountRefunded, 0);
}
