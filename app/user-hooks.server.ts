import type { UserHooks } from "./auth/user-hooks.server.ts";
import { enqueueAttemptClosing } from "./billing/checkout-attempt.server.ts";
import { enqueueCustomerUpdate } from "./billing/customer-jobs.server.ts";
import type { Config } from "./config/config.server.ts";
import { rememberAddress } from "./promo/once-per-person.server.ts";

/** What payments and promo codes do when something happens to a user. */
export function createUserHooks(config: Config): UserHooks {
  return {
    onProfileChanged: enqueueCustomerUpdate,
    beforeAddressGivenUp: (tx, owner) => rememberAddress(tx, config, owner),
    onPasswordReset: enqueueAttemptClosing,
  };
}
