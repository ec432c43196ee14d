import { and, asc, eq, ne } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import { disconnectedMessage } from "./account-notices.ts";
import { lockUser } from "./lock-user.server.ts";
import { BY_PASSWORD } from "./passwords.server.ts";
import { providerName } from "./providers/providers.ts";
import { account } from "./schema.ts";

/** How a user can sign in: whether they have a password, and which providers are connected since when. */
export async function readSignInMethods(db: Queryable, userId: string) {
  const methods = await db
    .select({ id: account.id, provider: account.providerId, since: account.createdAt })
    .from(account)
    .where(eq(account.userId, userId))
    .orderBy(asc(account.createdAt), asc(account.id));
  const connections = methods.filter(({ provider }) => provider !== BY_PASSWORD);
  return { hasPassword: connections.length < methods.length, connections };
}

/**
 * Disconnects a provider, unless it is the last sign-in method. The user's row is locked while the methods are counted, so
 * that of two disconnected at once one stays.
 *
 * @param id the row of the connection; one of somebody else's is `gone`
 */
export async function disconnect(
  db: Database,
  site: Site,
  userId: string,
  id: string,
): Promise<"disconnected" | "last" | "gone"> {
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    const { hasPassword, connections } = await readSignInMethods(tx, userId);
    const connection = connections.find((connection) => connection.id === id);
    if (!owner || !connection) return "gone";
    if (!hasPassword && connections.length === 1) return "last";
    await tx
      .delete(account)
      .where(and(eq(account.id, id), eq(account.userId, userId), ne(account.providerId, BY_PASSWORD)));
    await enqueueMail(tx, site, disconnectedMessage(owner.email, providerName(connection.provider), site));
    return "disconnected";
  });
}
