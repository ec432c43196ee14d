const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** How long each payment may be refunded in full, whatever has opened, in days. */
const REFUND_DAYS = 14;

/** Stripe's statuses of disputes: its bank still decides; it took nothing, or gave it back. Of all others the money is gone. */
export const OPEN_DISPUTES = ["needs_response", "under_review"];
export const HARMLESS_DISPUTES = ["won", "warning_needs_response", "warning_under_review", "warning_closed"];

/** A paid invoice of one subscription. Amounts are in minor units. */
export interface PaidInvoice {
  id: string;
  amountPaid: number;
  amountRefunded: number;
  paidAt: Date;
  /** When the first feature of the plan it was for opened, or will open; `null`: no day is set. */
  openedAt: Date | null;
  /** Whether its bank decides about it, or took it back: Stripe pays nothing back then. */
  isDisputed: boolean;
}

/** What may be refunded by one press. Amounts are in minor units, of the invoices' currency. */
export interface Refundable {
  invoices: { id: string; amount: number }[];
  total: number;
  /** The last moment at which all of it may still be refunded; `null`: no day is set, or there is nothing to refund. */
  until: Date | null;
}

/**
 * What the refund promise gives back for a subscription now: every payment until the first feature of the plan it was for
 * opens, and any payment for `REFUND_DAYS` days. What was refunded already, or is disputed, is left out.
 */
export function refundableNow({
  invoices,
  now,
}: {
  invoices: readonly PaidInvoice[];
  now: Date;
}): Refundable {
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

/** Until when an invoice may be refunded; `null`: no day is set. */
function lastMoment({ paidAt, openedAt }: PaidInvoice): Date | null {
  if (!openedAt) return null;
  return new Date(Math.max(openedAt.getTime(), paidAt.getTime() + REFUND_DAYS * DAY_MILLISECONDS));
}
