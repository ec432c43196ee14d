import type { Queryable } from "../db/client.server.ts";

/**
 * What other features do when something happens to a user, each in the transaction that does it. They are wired up in
 * app.server.ts: this room knows neither payments nor promo codes.
 */
export interface UserHooks {
  /** The name or the address has changed. */
  onProfileChanged(tx: Queryable, userId: string): Promise<void>;
  /** The address is about to be given up, by changing it or deleting the account. The user is locked. */
  beforeAddressGivenUp(tx: Queryable, owner: { id: string; email: string }): Promise<void>;
  /** The password was reset by mail: somebody else may have used the account until then. */
  onPasswordReset(tx: Queryable, userId: string): Promise<void>;
}

declare module "../http/context.server.ts" {
  interface App {
    userHooks: UserHooks;
  }
}
