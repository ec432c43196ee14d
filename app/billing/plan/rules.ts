import { REFUND_DAYS } from "../../ui/offer.ts";
import { ENDED_STATUSES } from "../lifecycle.ts";
import type { Price } from "../plans.ts";

/** In these states nothing is paid for that could be kept until the period's end. */
export function endsAtOnce(status: string): boolean {
  return ["past_due", "unpaid", "incomplete", "paused"].includes(status);
}

/** The comment at Stripe on a cancellation with a refund: one mail announces both. */
export const ENDED_WITH_REFUND = "Ended with a refund";

export function isOver(status: string): boolean {
  return ENDED_STATUSES.includes(status);
}

export function canBeChanged(status: string, isPaused: boolean): boolean {
  return (status === "active" || status === "trialing") && !isPaused;
}

export type RatedPrice = Pick<Price, "unitAmount" | "interval">;

/** Upgrades apply now, downgrades at the end of the period. Month to year is an upgrade, the reverse a downgrade, at any amount. */
export function changeHappens(from: RatedPrice, to: RatedPrice): "now" | "at_period_end" {
  if (from.interval !== to.interval) return to.interval === "year" ? "now" : "at_period_end";
  return to.unitAmount >= from.unitAmount ? "now" : "at_period_end";
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Stripe's statuses of disputes. Open: the bank hasn't decided. Harmless: no money was taken, or it came back. Otherwise it's gone. */
export const OPEN_DISPUTES = ["needs_response", "under_review"];
export const HARMLESS_DISPUTES = ["won", "warning_needs_response", "warning_under_review", "warning_closed"];

export interface PaidInvoice {
  id: string;
  amountPaid: number;
  amountRefunded: number;
  paidAt: Date;
  /** When the first feature of its plan opened or will open; `null`: no day is set. */
  openedAt: Date | null;
  /** Stripe refunds nothing in a dispute, open or lost. */
  isDisputed: boolean;
}

/**
 * Payments can be refunded until their plan's first feature opens, and all for `REFUND_DAYS` days, unless they are disputed.
 * @returns amounts in minor units, and the last moment for all of them; `null`: no day is set, or nothing to refund
 */
export function refundableNow(invoices: readonly PaidInvoice[], now: Date) {
  const refundable = invoices
    .filter(({ isDisputed }) => !isDisputed)
    .map((invoice) => ({
      id: invoice.id,
      amount: invoice.amountPaid - invoice.amountRefunded,
      until: lastMoment(invoice),
    }))
    .filter(({ amount, until }) => amount > 0 && (until === null || now <= until));
  const ends = refundable.flatMap(({ until }) => until?.getTime() ?? []);
  return {
    invoices: refundable.map(({ id, amount }) => ({ id, amount })),
    total: refundable.reduce((sum, { amount }) => sum + amount, 0),
    until: ends.length > 0 ? new Date(Math.min(...ends)) : null,
  };
}

/** The newest payments first, each with its `amount` in minor units. `null`: less is left of them. */
export function divideRefund<Invoice extends PaidInvoice>(invoices: readonly Invoice[], total: number) {
  let left = total;
  const parts = invoices
    .filter(({ isDisputed }) => !isDisputed)
    .toSorted((one, other) => other.paidAt.getTime() - one.paidAt.getTime())
    .map((invoice) => {
      const amount = Math.min(left, invoice.amountPaid - invoice.amountRefunded);
      left -= amount;
      return { ...invoice, amount };
    });
  return left > 0 ? null : parts.filter(({ amount }) => amount > 0);
}

function lastMoment({ paidAt, openedAt }: PaidInvoice): Date | null {
  if (!openedAt) return null;
  return new Date(Math.max(openedAt.getTime(), paidAt.getTime() + REFUND_DAYS * DAY_MILLISECONDS));
}

/** From the contract, which the first payment makes (terms.md, Plans and prices): Directive 2011/83/EU, Article 9. */
const WITHDRAWAL_DAYS = 14;

/** The end, in UTC, of the fourteenth day after that of the contract (Regulation 1182/71, Article 3). */
export function withdrawalEnds(contractMadeAt: Date): Date {
  const firstDay = Math.floor(contractMadeAt.getTime() / DAY_MILLISECONDS);
  return new Date((firstDay + WITHDRAWAL_DAYS + 1) * DAY_MILLISECONDS);
}
