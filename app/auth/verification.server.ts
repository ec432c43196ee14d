import { and, desc, eq, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import { type AccountProof, isStillProved } from "./account-proof.server.ts";
import { verificationMessage } from "./link-messages.ts";
import { createMailLink, lockMailLink, markLinkUsed } from "./mail-links.server.ts";
import { mailLinks, user } from "./schema.ts";

/**
 * Asks a user to confirm their address by mail, in the caller's own transaction.
 *
 * @param user.returnTo where the reader goes on to; without it, where the link sent before leads
 */
export async function sendVerification(
  tx: Queryable,
  site: Site,
  { id, email, returnTo }: { id: string; email: string; returnTo?: string },
): Promise<void> {
  const link = { userId: id, email, returnTo: returnTo ?? (await findReturnTo(tx, id)) };
  const token = await createMailLink(tx, "verify_email", link);
  await enqueueMail(tx, site, verificationMessage({ email, token }, site));
}

async function findReturnTo(tx: Queryable, userId: string): Promise<string | null> {
  const [link] = await tx
    .select({ returnTo: mailLinks.returnTo })
    .from(mailLinks)
    .where(and(eq(mailLinks.userId, userId), eq(mailLinks.purpose, "verify_email")))
    .orderBy(desc(mailLinks.createdAt))
    .limit(1);
  return link?.returnTo ?? null;
}

/**
 * Marks the address of a user as confirmed, by the link that was sent to it and proof that the account is theirs. Used again
 * within minutes, the link says once more that it is done.
 *
 * @returns where its reader goes on to; `unproved` when the proof no longer holds; `dead` when the link is used up or
 *   expired, or the user's address is another by now
 */
export async function verifyEmail(
  db: Database,
  token: string | null,
  proof: AccountProof,
): Promise<{ confirmed: true; returnTo: string | null } | "unproved" | "dead"> {
  return db.transaction(async (tx) => {
    const found = await lockMailLink(tx, "verify_email", token);
    if (!found || found.link.email !== found.owner.email) return "dead";
    const { link, owner } = found;
    if (!(await isStillProved(tx, owner.id, proof))) return "unproved";
    const confirmed = { confirmed: true, returnTo: link.returnTo ?? null } as const;
    if (link.isUsed) return confirmed;
    await markLinkUsed(tx, link, "its kind");
    await tx.update(user).set({ emailVerified: true, updatedAt: sql`now()` }).where(eq(user.id, owner.id));
    return confirmed;
  });
}
