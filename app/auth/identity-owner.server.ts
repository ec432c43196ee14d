import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { account } from "./schema.ts";

/** Who somebody is elsewhere, in that place's own words, which never change. */
export interface ProviderIdentity {
  provider: string;
  accountId: string;
}

/** Whose way in an identity is, or `null`. */
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

/** Makes an identity a way in of a user. @throws a unique violation when it is somebody's already */
export async function connectIdentity(
  tx: Queryable,
  userId: string,
  { provider, accountId }: ProviderIdentity,
): Promise<void> {
  await tx.insert(account).values({ id: randomUUID(), userId, providerId: provider, accountId });
}
