import type { UserHooks } from "./auth/users.server.ts";
import { enqueueAttemptClosing } from "./billing/checkout-attempt.server.ts";
import { enqueueCustomerUpdate } from "./billing/customer.server.ts";
import { forgetCategories } from "./categories/categories.server.ts";
import type { Config } from "./config/config.server.ts";
import { rememberAddress } from "./promo/once-per-person.server.ts";

export function createUserHooks(config: Config): UserHooks {
  return {
    onProfileChanged: enqueueCustomerUpdate,
    beforeAddressGivenUp: (tx, owner) => rememberAddress(tx, config, owner),
    onPasswordReset: enqueueAttemptClosing,
    onTakeOver: forgetCategories,
  };
}
