import { createHash, randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { z } from "zod";
import type { Database } from "../db/client.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import type { contactForm } from "./contact-form-schema.ts";
import { forwardedMessage } from "./messages.ts";
import { contactMessages } from "./schema.ts";

/**
 * Stores a message and enqueues a mail to support, in one transaction. The same message within ten minutes is a double
 * submission and changes nothing; after that it is mailed again and waits for an answer again, with `createdAt` updated.
 */
export async function storeMessage(
  db: Database,
  site: Site,
  input: z.output<typeof contactForm>,
): Promise<void> {
  const { name, email, topic, message } = input;
  const contentHash = createHash("sha256")
    .update(JSON.stringify([name, email, topic, message]))
    .digest("hex");
  await db.transaction(async (tx) => {
    const [stored] = await tx
      .insert(contactMessages)
      .values({ id: randomUUID(), name, email, topic, message, contentHash })
      .onConflictDoUpdate({
        target: contactMessages.contentHash,
        // Asked again, it waits for an answer again.
        set: { createdAt: sql`now()`, answeredAt: null, answeredBy: null },
        setWhere: sql`${contactMessages.createdAt} < now() - interval '10 minutes'`,
      })
      .returning({ id: contactMessages.id });
    if (!stored) return;
    await enqueueMail(tx, site, forwardedMessage(input, site));
  });
}
