/** How often something may be done: at most `count` times in any `seconds`, for each of its windows. */
export interface Limit {
  /** The first part of its buckets' keys. */
  name: string;
  windows: readonly { count: number; seconds: number }[];
  /** A success gives its turn back. */
  countsOnlyFailures?: true;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Every limit there is. Clients are `RequestState.client`, users their id, accounts and addresses the address in lower case. */
export const LIMITS = {
  /** Tries to sign in, however they end. */
  signInByClient: {
    name: "sign_in_by_client",
    windows: [
      { count: 3, seconds: 10 },
      { count: 30, seconds: 10 * MINUTE },
    ],
  },
  /** Tries that failed, by anyone. */
  signInFailuresByAccount: {
    name: "sign_in_failures_by_account",
    windows: [{ count: 10, seconds: 15 * MINUTE }],
    countsOnlyFailures: true,
  },
  signUpByClient: { name: "sign_up_by_client", windows: [{ count: 10, seconds: HOUR }] },
  /** Tries of somebody signed in to show again who they are. Not the account's: a stranger could use that up. */
  confirmFailuresByUser: {
    name: "confirm_failures_by_user",
    windows: [{ count: 10, seconds: 15 * MINUTE }],
    countsOnlyFailures: true,
  },
  /** Passwords to be, which take some time to judge. */
  passwordChecksByClient: {
    name: "password_checks_by_client",
    windows: [{ count: 30, seconds: 10 * MINUTE }],
  },
  /** Mails to reset a password, which anybody may ask for in an address's name. */
  resetByAddress: {
    name: "reset_by_address",
    windows: [
      { count: 3, seconds: MINUTE },
      { count: 8, seconds: DAY },
    ],
  },
  /** Mails that somebody signed in has sent to an address: to confirm it, or to change to it. */
  mailByAddress: {
    name: "mail_by_address",
    windows: [
      { count: 3, seconds: MINUTE },
      { count: 8, seconds: DAY },
    ],
  },
  /** Mails that tell an owner of a pause, each with a way to end it. */
  pausedByAddress: { name: "paused_by_address", windows: [{ count: 12, seconds: DAY }] },
  /** The same by whoever asks, who could otherwise have a thousand addresses written to. */
  mailByClient: {
    name: "mail_by_client",
    windows: [
      { count: 10, seconds: MINUTE },
      { count: 60, seconds: HOUR },
    ],
  },
  waitlistByClient: { name: "waitlist_by_client", windows: [{ count: 20, seconds: HOUR }] },
  contactByClient: {
    name: "contact_by_client",
    windows: [
      { count: 5, seconds: 10 * MINUTE },
      { count: 20, seconds: DAY },
    ],
  },
  /** Codes that were wrong: guessing them must not pay. */
  promoByUser: {
    name: "promo_by_user",
    windows: [
      { count: 10, seconds: MINUTE },
      { count: 60, seconds: HOUR },
    ],
    countsOnlyFailures: true,
  },
  /** Changes of name and photo, by form or program; of each name Stripe is told. */
  profileByUser: {
    name: "profile_by_user",
    windows: [
      { count: 30, seconds: MINUTE },
      { count: 120, seconds: HOUR },
    ],
  },
  /** Copies of everything kept about somebody. */
  exportByUser: { name: "export_by_user", windows: [{ count: 10, seconds: 10 * MINUTE }] },
  /** Presses to delete an account that came to nothing so far; each asks Stripe several things. */
  deletionByUser: { name: "deletion_by_user", windows: [{ count: 10, seconds: 10 * MINUTE }] },
  /** Looks at what became of a payment, each of which asks Stripe; past it the page shows what is known here. */
  paymentLooksByUser: {
    name: "payment_looks_by_user",
    windows: [
      { count: 20, seconds: MINUTE },
      { count: 120, seconds: HOUR },
    ],
  },
  /** The same by whoever sends them: many accounts must not guess what one may not. */
  promoByClient: {
    name: "promo_by_client",
    windows: [
      { count: 30, seconds: 10 * MINUTE },
      { count: 120, seconds: HOUR },
    ],
    countsOnlyFailures: true,
  },
  /** Payment pages, each of which asks Stripe. */
  checkoutByUser: { name: "checkout_by_user", windows: [{ count: 20, seconds: MINUTE }] },
  /** Leaving for Google or Facebook, and being handed over by the hosted app. */
  providerByClient: { name: "provider_by_client", windows: [{ count: 30, seconds: 10 * MINUTE }] },
  tokenByUser: { name: "token_by_user", windows: [{ count: 60, seconds: MINUTE }] },
} as const satisfies Record<string, Limit>;
