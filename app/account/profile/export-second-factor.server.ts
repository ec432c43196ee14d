import { asc, eq } from "drizzle-orm";
import { authenticatorApps, passkeys, recoveryCodes } from "../../auth/schema.ts";
import type { Queryable } from "../../db/client.server.ts";

/** The second step of a user's sign-in, for their copy: without the app's secret, and without the hash of a code. */
export async function secondFactorOf(tx: Queryable, userId: string) {
  const [app] = await tx
    .select({ begunAt: authenticatorApps.createdAt, since: authenticatorApps.confirmedAt })
    .from(authenticatorApps)
    .where(eq(authenticatorApps.userId, userId));
  return {
    authenticatorApp: app ?? null,
    passkeys: await tx
      .select({
        id: passkeys.id,
        name: passkeys.name,
        publicKey: passkeys.publicKey,
        transports: passkeys.transports,
        since: passkeys.createdAt,
        lastUsedAt: passkeys.lastUsedAt,
      })
      .from(passkeys)
      .where(eq(passkeys.userId, userId))
      .orderBy(asc(passkeys.createdAt)),
    recoveryCodes: await tx
      .select({ madeAt: recoveryCodes.createdAt, usedAt: recoveryCodes.usedAt })
      .from(recoveryCodes)
      .where(eq(recoveryCodes.userId, userId)),
  };
}
