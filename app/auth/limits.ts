import { DAY, HOUR, type Limit, MINUTE, per } from "../limits/limit.ts";

/** A success is refunded. */
const failures = (name: string, ...windows: Limit["windows"]) =>
  ({ name, windows, countsOnlyFailures: true }) as const;

/** Clients are `RequestState.client`, users their id, accounts and addresses the address in lower case. */
export const AUTH_LIMITS = {
  /** All tries, however they end. */
  signInByClient: { name: "sign_in_by_client", windows: [per(3, 10), per(30, 10 * MINUTE)] },
  /** At one account from one network (decision 0047). */
  signInFailuresByNetwork: failures("sign_in_failures_by_network", per(10, 15 * MINUTE)),
  /** At one account from all networks its owner has not signed in from. */
  signInFailuresByAccount: failures("sign_in_failures_by_account", per(1000, DAY)),
  /** Refuses nothing: the last one triggers a mail to the owner. */
  wrongTriesByAccount: { name: "wrong_tries_by_account", windows: [per(10, 15 * MINUTE)] },
  /** Refuses nothing: a hit means that the owner has signed in from this network. */
  knownNetwork: { name: "known_network", windows: [per(1, 90 * DAY)] },
  signUpByClient: { name: "sign_up_by_client", windows: [per(10, HOUR)] },
  /** Apart from signing in, whose tries a stranger could use up. */
  confirmFailuresByNetwork: failures("confirm_failures_by_network", per(10, 15 * MINUTE)),
  confirmFailuresByUser: failures("confirm_failures_by_user", per(100, DAY)),
  /** By kind of factor, so that wrong app codes leave passkeys alone. */
  secondFactorByClient: { name: "second_factor_by_client", windows: [per(30, 10 * MINUTE)] },
  /** 3 of 10⁶ codes are valid at a time. Passkeys and recovery codes cannot be guessed and are not counted. */
  appCodeFailuresByNetwork: failures("app_code_failures_by_network", per(10, 15 * MINUTE), per(50, DAY)),
  /** From networks where the owner has shown no factor (NIST SP 800-63B-4 §3.2.2: 100 at most). */
  appCodeFailuresByUser: failures("app_code_failures_by_user", per(100, DAY)),
  passkeyQuestionsByClient: { name: "passkey_questions_by_client", windows: [per(30, 10 * MINUTE)] },
  secondFactorChangesByUser: { name: "second_factor_changes_by_user", windows: [per(20, HOUR)] },
  passwordChecksByClient: { name: "password_checks_by_client", windows: [per(30, 10 * MINUTE)] },
  resetByAddress: { name: "reset_by_address", windows: [per(3, MINUTE), per(8, DAY)] },
  /** To confirm an address, or to change to it. */
  mailByAddress: { name: "mail_by_address", windows: [per(3, MINUTE), per(8, DAY)] },
  mailByOperator: { name: "mail_by_operator", windows: [per(3, MINUTE), per(20, DAY)] },
  pausedByAddress: { name: "paused_by_address", windows: [per(12, DAY)] },
  /** One client cannot send mail to a thousand addresses. */
  mailByClient: { name: "mail_by_client", windows: [per(10, MINUTE), per(60, HOUR)] },
  providerByClient: { name: "provider_by_client", windows: [per(30, 10 * MINUTE)] },
} as const satisfies Record<string, Limit>;
