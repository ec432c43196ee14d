import type { Deletion } from "../../account/delete-account.server.ts";
import type { Flashes } from "../flash.ts";

/** By the `said` in the page's URL. */
export const FLASHES = {
  changed: ["good", "Stripe had something we didn’t. It’s stored now, and what they have below follows it."],
  same: ["good", "Nothing new at Stripe: what stands below is what Stripe has."],
  no_customer: ["plain", "Stripe has no customer for them: they never opened a payment page of this site."],
  unknown_customer: [
    "bad",
    "Stripe doesn’t know the customer that is stored here. Nothing was changed. Are these the API keys of another account?",
  ],
  payments_off: ["bad", "Payments are off, so Stripe wasn’t asked. Nothing was changed."],
  stripe_away: [
    "bad",
    "Stripe couldn’t be reached, so nothing they have was changed. Try again in a moment.",
  ],
  given: ["good", "Given. They have it from now on."],
  given_before: ["plain", "That was given already, by the same form. It was not given twice."],
  refunded: [
    "good",
    "Refunded, and their plan ends. Stripe may need a moment, and banks take up to ten days.",
  ],
  plan_ended: ["good", "Done. Stripe has the end of the plan; refunds and emails leave within seconds."],
  plan_changed: ["good", "Their plan is changed, and they get an email about it."],
  credited: ["good", "Credit given. It’s taken off their next payments, and they get an email about it."],
  refunded_again: ["good", "Done. Stripe has it within seconds; look here again to see whether it arrived."],
  revoked: ["good", "Revoked. They no longer have it."],
  no_longer: ["plain", "That was over or revoked already. Nothing was changed."],
  sent: ["good", "Sent. It leaves within seconds."],
  not_needed: ["plain", "Their address is confirmed already, so there is nothing to send."],
  no_receipt: ["bad", "There is no receipt: nothing was paid on that invoice."],
  no_refund: ["bad", "There is no such email: nothing of that payment was refunded."],
  signed_out: ["good", "Signed out on every device. They can sign in again at any time."],
  not_signed_in: ["plain", "They weren’t signed in anywhere."],
  factor_removed: [
    "good",
    "Two-step login is off, they’re signed out everywhere, and they get an email about it.",
  ],
  no_factor: ["plain", "They have no two-step login. Nothing was changed."],
} as const satisfies Flashes;

export type FlashName = keyof typeof FLASHES;

export const NOT_DELETED: Record<Exclude<Deletion, "deleted"> | "operator", string> = {
  operator:
    "This address is on the list of operators. An operator deletes their own account on their account page, or is taken off the list first",
  paid_meanwhile: "A payment from them just came in. Look at what it changes, then ask them again",
  payments_away: "Stripe couldn’t be reached, so what they pay for could not be ended. Try again in a moment",
  busy: "The account is in use somewhere else right now. Try again",
};
