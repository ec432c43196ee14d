import { ENDED_STATUSES } from "../lifecycle.ts";

/** Whether a cancellation ends it at once: nothing is paid for that could be kept until the period's end. */
export function endsAtOnce(status: string): boolean {
  return ["past_due", "unpaid", "incomplete", "paused"].includes(status);
}

/** Whether a subscription is over; no other status of Stripe's is final. */
export function isOver(status: string): boolean {
  return ENDED_STATUSES.includes(status);
}

/** Whether a plan in this state can be changed: it is paid for, or on trial. */
export function canBeChanged(subscription: { status: string; pauseBehavior: string | null }): boolean {
  const { status, pauseBehavior } = subscription;
  return (status === "active" || status === "trialing") && pauseBehavior === null;
}
