import { eq, sql } from "drizzle-orm";
import { type AccountProof, isStillProved } from "../auth/confirm-link.server.ts";
import { createMailLink, lockMailLink, markLinkUsed } from "../auth/mail-links.server.ts";
import {
  addressChangeAskedMessage,
  addressChangedMessage,
  addressInUseMessage,
  confirmAddressMessage,
} from "../auth/messages.ts";
import { user } from "../auth/schema.ts";
import type { SignedInUser } from "../auth/users.server.ts";
import { enqueueCustomerUpdate } from "../billing/customer.server.ts";
import type { Database } from "../db/client.server.ts";
import { isUniqueViolation } from "../db/constraint-errors.server.ts";
import type { App } from "../http/context.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { forgetRecipients } from "../mail/forget.server.ts";
import { rememberAddress } from "../promo/once-per-person.server.ts";
import type { Site } from "../ui/site.ts";

/** Only the owner of the new address learns that it is taken. */
export async function askForEmailChange(db: Database, site: Site, owner: SignedInUser, wanted: string) {
  const email = wanted.toLowerCase();
  await db.transaction(async (tx) => {
    const [taken] = await tx.select({ id: user.id }).from(user).where(eq(user.email, email));
    if (taken) {
      await enqueueMail(tx, site, addressInUseMessage(email, site));
    } else {
      const token = await createMailLink(tx, "change_email", { userId: owner.id, email });
      await enqueueMail(tx, site, confirmAddressMessage(email, token, site));
    }
    // An unconfirmed address may be a stranger's.
    if (owner.emailVerified) await enqueueMail(tx, site, addressChangeAskedMessage(owner.email, site));
  });
}

/**
 * The link proves access to the mailbox, `proof` access to the account. All other links prove an old address and become invalid. Used
 * again within minutes, the link reports success again.
 * @returns `taken`: the link stays usable; `unproved`: the proof no longer holds; `dead`: used, expired or unknown
 */
export async function changeEmail(
  { config, db }: Pick<App, "config" | "db">,
  token: string | null,
  proof: AccountProof,
): Promise<"changed" | "taken" | "unproved" | "dead"> {
  const { site } = config;
  try {
    return await db.transaction(async (tx) => {
      const found = await lockMailLink(tx, "change_email", token);
      if (!found) return "dead";
      const { link, owner } = found;
      if (!(await isStillProved(tx, owner.id, proof))) return "unproved";
      if (link.isUsed) return owner.email === link.email ? "changed" : "dead";
      await markLinkUsed(tx, link, "all");
      await rememberAddress(tx, config, owner);
      await tx
        .update(user)
        .set({ email: link.email, emailVerified: true, updatedAt: sql`now()` })
        .where(eq(user.id, owner.id));
      await enqueueCustomerUpdate(tx, owner.id);
      // Deleting the account later only forgets its last address.
      await forgetRecipients(tx, [owner.email]);
      await enqueueMail(tx, site, addressChangedMessage(owner.email, site), { isListed: false });
      return "changed";
    });
  } catch (error) {
    if (isUniqueViolation(error)) return "taken";
    throw error;
  }
}
