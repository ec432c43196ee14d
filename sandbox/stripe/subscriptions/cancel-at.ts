import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { integer, text, unsettable } from "../api/params.ts";
import type { Transaction } from "../transaction.ts";
import { periodOf } from "./items.ts";

export const cancelAtParam = unsettable(integer);

export const cancellationDetails = z.strictObject({
  comment: unsettable(text).optional(),
  feedback: unsettable(
    z.enum([
      "customer_service",
      "low_quality",
      "missing_features",
      "other",
      "switched_service",
      "too_complex",
      "too_expensive",
      "unused",
    ]),
  ).optional(),
});

interface CancellationParams {
  cancel_at?: z.output<typeof cancelAtParam> | undefined;
  cancel_at_period_end?: boolean | undefined;
  cancellation_details?: z.output<typeof cancellationDetails> | undefined;
}

/** What the parameters change about a subscription's end. @throws Stripe's 400 */
export function cancellation(
  tx: Transaction,
  subscription: Stripe.Subscription,
  { cancel_at, cancel_at_period_end, cancellation_details }: CancellationParams,
): Partial<Stripe.Subscription> {
  if (cancel_at !== undefined && cancel_at !== null && cancel_at_period_end !== undefined) {
    throw invalidRequest("You can only set one of `cancel_at` and `cancel_at_period_end`.", {
      param: "cancel_at",
    });
  }
  const end = requestedEnd(tx, subscription, { cancel_at, cancel_at_period_end });
  const details = { ...NO_DETAILS, ...subscription.cancellation_details };
  if (end === undefined) {
    return cancellation_details ? { cancellation_details: withDetails(details, cancellation_details) } : {};
  }
  if (end === null) {
    return {
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      cancellation_details: withDetails(NO_DETAILS, cancellation_details),
    };
  }
  return {
    cancel_at: end,
    cancel_at_period_end: cancel_at_period_end ?? false,
    canceled_at: tx.now,
    cancellation_details: withDetails({ ...details, reason: "cancellation_requested" }, cancellation_details),
  };
}

const NO_DETAILS: Stripe.Subscription.CancellationDetails = {
  comment: null,
  feedback: null,
  feedback_option: null,
  reason: null,
};

/** Unix seconds; null for none any more, undefined for the end as it is. */
function requestedEnd(
  tx: Transaction,
  subscription: Stripe.Subscription,
  { cancel_at, cancel_at_period_end }: CancellationParams,
): number | null | undefined {
  if (cancel_at_period_end !== undefined && cancel_at_period_end !== subscription.cancel_at_period_end) {
    return cancel_at_period_end ? periodOf(subscription).current_period_end : null;
  }
  if (cancel_at === undefined || cancel_at === null) return cancel_at;
  if (cancel_at <= tx.now) {
    const message = "`cancel_at` must be a unix timestamp in the future.";
    throw invalidRequest(message, { param: "cancel_at" });
  }
  return cancel_at;
}

function withDetails(
  details: Stripe.Subscription.CancellationDetails,
  changes: z.output<typeof cancellationDetails> | undefined,
): Stripe.Subscription.CancellationDetails {
  return {
    ...details,
    ...(changes?.comment !== undefined && { comment: changes.comment }),
    ...(changes?.feedback !== undefined && { feedback: changes.feedback }),
  };
}
