import { and, eq } from "drizzle-orm";
import type { App } from "../../http/context.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { disconnectedMessage } from "../messages.ts";
import { account } from "../schema.ts";
import { lockUser, readSignInMethods } from "../users.server.ts";
import { providerName } from "./providers.ts";

/** With the user locked: of two disconnected at once one stays. @param id the row of the connection */
export async function disconnect(
  { config: { site }, db }: Pick<App, "config" | "db">,
  userId: string,
  id: string,
) {
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    const { hasPassword, connections } = await readSignInMethods(tx, userId);
    const connection = connections.find((connection) => connection.id === id);
    if (!owner || !connection) return "gone";
    if (!hasPassword && connections.length === 1) return "last";
    await tx.delete(account).where(and(eq(account.id, id), eq(account.userId, userId)));
    await enqueueMail(tx, site, disconnectedMessage(owner.email, providerName(connection.provider), site));
    return "disconnected";
  });
}
