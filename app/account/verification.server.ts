import type { Queryable } from "../db/client.server.ts";
import { enqueueMail } from "../mail/message.server.tsx";
import type { Site } from "../site.ts";
import { createMailLink, LINK_HOURS } from "./mail-links.server.ts";

/** Asks whether the address of an account is its owner's, in the caller's own transaction. */
export async function sendVerification(
  tx: Queryable,
  site: Site,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const token = await createMailLink(tx, "verify_email", { userId: id, email });
  await enqueueMail(tx, site, {
    to: email,
    subject: "Confirm your email address",
    paragraphs: [
      `Someone, probably you, made a ${site.product} account with this address. Open the page below and press its button, and the address is confirmed.`,
      `The link works for ${LINK_HOURS.verify_email / 24} days.`,
    ],
    action: { label: "Confirm the address", url: `${site.origin}/verify-email?token=${token}` },
    footnotes: [{ text: "If it was not you, do nothing." }],
  });
}
