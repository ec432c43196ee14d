import type { Tier } from "../../entitlements/tiers.ts";
import type { Price } from "../plans.ts";
import type { stripeInvoices } from "../schema.ts";
import { isOver } from "./rules.ts";

type Invoice = typeof stripeInvoices.$inferSelect;

export interface InvoiceLine
  extends Pick<Invoice, "id" | "subscriptionId" | "number" | "createdAt" | "status" | "currency">,
    Pick<Invoice, "total" | "tax" | "amountRefunded" | "refundFailed" | "hostedUrl" | "pdfUrl"> {
  declineReason: string | null;
  refundFailure: string | null;
  refundNotice: string | null;
}

export interface Card {
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  expiresFirst: boolean;
}

interface OpenPayment {
  amount: number;
  currency: string;
  needsAuthentication: boolean;
  declineReason: string | null;
  url: string | null;
}

/** Amounts are in minor units of the price's currency. */
export interface PlanOverview {
  subscriptionId: string;
  productId: string;
  name: string;
  tier: Tier;
  price: Price;
  plusTax: string;
  status: string;
  accessUntil: Date | null;
  currentPeriodEnd: Date;
  trialEnd: Date | null;
  /** Days by which the next payment was moved, until they are over. */
  daysGiven: number | null;
  cancelAt: Date | null;
  endedAt: Date | null;
  pause: { until: Date | null } | null;
  next: { amount: number; at: Date } | null;
  nextPlan: { name: string; price: Price } | null;
  openPayment: OpenPayment | null;
  waitingPlan: { name: string; price: Price } | null;
  /** The request that is not at Stripe yet. */
  applying: "cancel" | "resume" | "change" | "refund" | "withdraw" | null;
  /** What the customer can have refunded now, and until when that amount stays. */
  refundable: { total: number; until: Date | null } | null;
  withdrawUntil: Date | null;
}

export type Situation =
  | "active"
  | "trial"
  | "ending"
  | "changing"
  | "past_due"
  | "unpaid"
  | "incomplete"
  | "paused"
  | "refunding"
  | "ended";

type Facts = Pick<PlanOverview, "status" | "cancelAt" | "pause" | "nextPlan" | "applying" | "daysGiven">;

export function situationOf({ status, cancelAt, pause, nextPlan, applying, daysGiven }: Facts): Situation {
  if (isOver(status)) return "ended";
  if (applying === "refund" || applying === "withdraw") return "refunding";
  if (status === "past_due" || status === "unpaid" || status === "incomplete") return status;
  if (cancelAt) return "ending";
  if (pause || status === "paused") return "paused";
  if (nextPlan) return "changing";
  return status === "trialing" && !daysGiven ? "trial" : "active";
}

/** In minor units. */
export function refundedOf(
  { subscriptionId }: Pick<PlanOverview, "subscriptionId">,
  invoices: readonly Pick<InvoiceLine, "subscriptionId" | "amountRefunded">[],
): number {
  const own = invoices.filter((invoice) => invoice.subscriptionId === subscriptionId);
  return own.reduce((sum, { amountRefunded }) => sum + amountRefunded, 0);
}

/** Cards are good to the end of their month. */
export function expiresBefore(
  { expMonth, expYear }: Pick<Card, "expMonth" | "expYear">,
  payment: Date,
): boolean {
  return Date.UTC(expYear, expMonth, 1) <= payment.getTime();
}
