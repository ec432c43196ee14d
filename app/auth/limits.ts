import { DAY, HOUR, type Limit, MINUTE } from "../limits/limit.ts";

/** Clients are `RequestState.client`, users their id, accounts and addresses the address in lower case. */
export const AUTH_LIMITS = {
  /** Tries to sign in, however they end. */
  signInByClient: {
    name: "sign_in_by_client",
    windows: [
      { count: 3, seconds: 10 },
      { count: 30, seconds: 10 * MINUTE },
    ],
  },
  /** Tries at one account that failed from one network, so that nobody uses up those of its owner (decision 0047). */
  signInFailuresByNetwork: {
    name: "sign_in_failures_by_network",
    windows: [{ count: 10, seconds: 15 * MINUTE }],
    countsOnlyFailures: true,
  },
  /** The same from all networks but those its owner has signed in from. */
  signInFailuresByAccount: {
    name: "sign_in_failures_by_account",
    windows: [{ count: 1000, seconds: DAY }],
    countsOnlyFailures: true,
  },
  /** Wrong passwords or codes at one account; the last of them has its owner told. They stop nobody. */
  wrongTriesByAccount: {
    name: "wrong_tries_by_account",
    windows: [{ count: 10, seconds: 15 * MINUTE }],
  },
  /** Whether an account's owner has signed in from a network: the one hit says so. */
  knownNetwork: { name: "known_network", windows: [{ count: 1, seconds: 90 * DAY }] },
  signUpByClient: { name: "sign_up_by_client", windows: [{ count: 10, seconds: HOUR }] },
  /** Tries of somebody signed in to show again who they are. Not the account's: a stranger could use that up. */
  confirmFailuresByNetwork: {
    name: "confirm_failures_by_network",
    windows: [{ count: 10, seconds: 15 * MINUTE }],
    countsOnlyFailures: true,
  },
  confirmFailuresByUser: {
    name: "confirm_failures_by_user",
    windows: [{ count: 100, seconds: DAY }],
    countsOnlyFailures: true,
  },
  /** Tries to show a second factor of one kind, however they end: wrong codes of an app use up nothing of a passkey's. */
  secondFactorByClient: {
    name: "second_factor_by_client",
    windows: [{ count: 30, seconds: 10 * MINUTE }],
  },
  /**
   * Wrong codes of an app: of a million, three are right at a time. Passkeys and recovery codes, which nobody guesses, are
   * not counted here: they always let the owner in.
   */
  appCodeFailuresByNetwork: {
    name: "app_code_failures_by_network",
    windows: [
      { count: 10, seconds: 15 * MINUTE },
      { count: 50, seconds: DAY },
    ],
    countsOnlyFailures: true,
  },
  /** The same from all networks but those where its owner has shown a factor (NIST SP 800-63B-4 §3.2.2: 100 at most). */
  appCodeFailuresByUser: {
    name: "app_code_failures_by_user",
    windows: [{ count: 100, seconds: DAY }],
    countsOnlyFailures: true,
  },
  /** Presses of a button that asks for a passkey. */
  passkeyQuestionsByClient: {
    name: "passkey_questions_by_client",
    windows: [{ count: 30, seconds: 10 * MINUTE }],
  },
  /** Changes of somebody's second factor, each of which writes them a mail. */
  secondFactorChangesByUser: {
    name: "second_factor_changes_by_user",
    windows: [{ count: 20, seconds: HOUR }],
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
  /** Mails to a user that an operator has sent once more, of any kind. */
  mailByOperator: {
    name: "mail_by_operator",
    windows: [
      { count: 3, seconds: MINUTE },
      { count: 20, seconds: DAY },
    ],
  },
  /** Mails that tell an owner of a pause, each with a way to end it. */
  pausedByAddress: { name: "paused_by_address", windows: [{ count: 12, seconds: DAY }] },
  /** The same by client, so that one cannot have a thousand addresses written to. */
  mailByClient: {
    name: "mail_by_client",
    windows: [
      { count: 10, seconds: MINUTE },
      { count: 60, seconds: HOUR },
    ],
  },
  /** Leaving for Google or Facebook, and being handed over by the hosted app. */
  providerByClient: { name: "provider_by_client", windows: [{ count: 30, seconds: 10 * MINUTE }] },
} as const satisfies Record<string, Limit>;
