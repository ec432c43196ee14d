import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { account } from "./schema.ts";

/** A person at a provider, by the provider's own id for them, which never changes. */
export interface ProviderIdentity {
  provider: string;
  accountId: string;
}

/** The user an identity is connected to, or `null`. */
export async function findIdentityOwner(
  db: Queryable,
  { provider, accountId }: ProviderIdentity,
): Promise<string | null> {
  const [found] = await db
    .select({ userId: account.userId })
    .from(account)
    .where(and(eq(account.providerId, provider), eq(account.accountId, accountId)));
  return found?.userId ?? null;
}

/** Connects an identity to a user. @throws a unique violation when it is connected already */
export async function connectIdentity(
  tx: Queryable,
  userId: string,
  { provider, accountId }: ProviderIdentity,
): Promise<void> {
  await tx.insert(account).values({ id: randomUUID(), userId, providerId: provider, accountId });
}
