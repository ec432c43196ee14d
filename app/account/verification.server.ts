import { eq, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { user } from "../db/schema.ts";
import { enqueueMail } from "../mail/message.server.tsx";
import type { Site } from "../site.ts";
import { consumeMailLink, createMailLink } from "./mail-links.server.ts";
import { verificationMessage } from "./messages.ts";

/** Writes to a user's address, in the caller's own transaction, to ask whether it is theirs. */
export async function sendVerification(
  tx: Queryable,
  site: Site,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const token = await createMailLink(tx, "verify_email", { userId: id, email });
  await enqueueMail(tx, site, verificationMessage({ email, token }, site));
}

/**
 * Marks the address of a user as theirs, because somebody came with the link that was sent to it. Of any number of
 * uses of a link one is true.
 *
 * @returns false when the link is used up or expired, or the user's address is another by now
 */
export async function verifyEmail(db: Database, token: string | null): Promise<boolean> {
  return db.transaction(async (tx) => {
    const link = await consumeMailLink(tx, "verify_email", token);
    if (!link || link.email !== link.owner.email) return false;
    await tx
      .update(user)
      .set({ emailVerified: true, updatedAt: sql`now()` })
      .where(eq(user.id, link.owner.id));
    return true;
  });
}
