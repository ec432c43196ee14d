import type { Tier } from "../../entitlements/tiers.ts";
import type { Price } from "../plans.ts";
import { isOver } from "./rules.ts";

export interface InvoiceLine {
  id: string;
  subscriptionId: string | null;
  number: string | null;
  createdAt: Date;
  status: string;
  /** Why its last try failed, in a sentence. */
  declineReason: string | null;
  currency: string;
  total: number;
  /** The part of it that is tax. */
  tax: number;
  amountRefunded: number;
  /** What a bank sent back of its refunds, and why, in a sentence. */
  refundFailed: number;
  refundFailure: string | null;
  /** The same for the customer. */
  refundNotice: string | null;
  hostedUrl: string | null;
  pdfUrl: string | null;
}

export interface Card {
  /** Its name, such as "Visa". */
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  /** Whether it has expired by the next payment. */
  expiresFirst: boolean;
}

interface OpenPayment {
  amount: number;
  currency: string;
  needsAuthentication: boolean;
  /** Why it was declined, in a sentence. */
  declineReason: string | null;
  url: string | null;
}

/** Everything about a customer's plan. Amounts are in minor units of the price's currency. */
export interface PlanOverview {
  subscriptionId: string;
  productId: string;
  name: string;
  tier: Tier;
  price: Price;
  /** What follows its price: nothing, unless Stripe adds tax to its invoices. */
  plusTax: string;
  status: string;
  /** `null`: it gives no access now. */
  accessUntil: Date | null;
  currentPeriodEnd: Date;
  trialEnd: Date | null;
  /** The days by which the next payment has moved, while they run. */
  daysGiven: number | null;
  cancelAt: Date | null;
  endedAt: Date | null;
  pause: { until: Date | null } | null;
  next: { amount: number; at: Date } | null;
  /** The plan after the current period. */
  nextPlan: { name: string; price: Price } | null;
  openPayment: OpenPayment | null;
  /** A change that waits for `openPayment`. */
  waitingPlan: { name: string; price: Price } | null;
  /** The request that is not at Stripe yet. */
  applying: "cancel" | "resume" | "change" | "refund" | "withdraw" | null;
  /** The amount that can be refunded by one press, and until when all of it. */
  refundable: { total: number; until: Date | null } | null;
  /** Until when the contract can be withdrawn from. */
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

/** The one thing to say first of a plan. */
export function situationOf({ status, cancelAt, pause, nextPlan, applying, daysGiven }: Facts): Situation {
  if (isOver(status)) return "ended";
  if (applying === "refund" || applying === "withdraw") return "refunding";
  if (status === "past_due" || status === "unpaid" || status === "incomplete") return status;
  if (cancelAt) return "ending";
  if (pause || status === "paused") return "paused";
  if (nextPlan) return "changing";
  return status === "trialing" && !daysGiven ? "trial" : "active";
}

/** The refunds of a plan's payments, in minor units. */
export function refundedOf(
  { subscriptionId }: Pick<PlanOverview, "subscriptionId">,
  invoices: readonly Pick<InvoiceLine, "subscriptionId" | "amountRefunded">[],
): number {
  const own = invoices.filter((invoice) => invoice.subscriptionId === subscriptionId);
  return own.reduce((sum, { amountRefunded }) => sum + amountRefunded, 0);
}

/** Whether the card's last day is before the next payment. Cards are good to the end of their month. */
export function expiresBefore(
  { expMonth, expYear }: Pick<Card, "expMonth" | "expYear">,
  payment: Date,
): boolean {
  return Date.UTC(expYear, expMonth, 1) <= payment.getTime();
}
