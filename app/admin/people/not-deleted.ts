import type { Deletion } from "../../account/delete-account.server.ts";

/** Why an account was not deleted, for the operator who asked. */
export const NOT_DELETED: Record<Exclude<Deletion, "deleted"> | "operator", string> = {
  operator:
    "This address is on the list of operators. An operator deletes their own account on their account page, or is taken off the list first",
  paid_meanwhile: "A payment from them just came in. Look at what it changes, then ask them again",
  payments_away: "Stripe couldn’t be reached, so what they pay for could not be ended. Try again in a moment",
  busy: "The account is in use somewhere else right now. Try again",
};
