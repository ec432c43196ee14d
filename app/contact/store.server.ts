import { createHash, randomUUID } from "node:crypto";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { emailAddress, personName } from "../auth/person-fields.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import type { ExpiredRows } from "../db/delete-batches.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import { isVisible } from "../ui/typed-text.ts";
import { FORM_DAYS } from "./fill-time.server.ts";
import { forwardedMessage } from "./messages.ts";
import { contactMessages, sentContactForms } from "./schema.ts";
import { findTopic, type Topic } from "./topics.ts";

/** In UTF-16 code units; a line break counts as one, although browsers send two. */
const MESSAGE_MAX_LENGTH = 4000;

const formatCount = (count: number) => count.toLocaleString("en-US");

export const contactForm = z.object({
  name: personName,
  email: emailAddress,
  topic: z
    .string({ error: "Choose what this is about" })
    .refine((topic): topic is Topic => findTopic(topic) !== undefined, "Choose what this is about"),
  message: z
    .string({ error: "Write your message" })
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(
      z
        // Conform treats a blank value as not submitted.
        .string({ error: "Write your message" })
        .max(MESSAGE_MAX_LENGTH, {
          error: ({ input }) =>
            `Shorten your message to ${formatCount(MESSAGE_MAX_LENGTH)} characters (it has ${formatCount(String(input).length)})`,
        })
        .regex(/^[\t\n\P{Cc}]*$/u, "Some characters here can’t be saved. Please retype it.")
        .refine(isVisible, "Write your message"),
    ),
});

type ContactMessage = z.output<typeof contactForm>;

/**
 * The same message within ten minutes is a double submission; later it is mailed again and waits again.
 * @returns false when another message was sent with that form; then nothing was stored
 */
export async function storeMessage(db: Database, site: Site, formId: string, input: ContactMessage) {
  return db.transaction(async (tx) => {
    const use = await useForm(tx, formId, hashOf(input));
    if (use !== "first") return use === "same words";
    await putMessage(tx, site, input, sql`${contactMessages.createdAt} < now() - interval '10 minutes'`);
    return true;
  });
}

/** Stores and mails it to support. @param canWaitAgain whether the same message, if stored already, waits for an answer again */
export async function putMessage(tx: Queryable, site: Site, input: ContactMessage, canWaitAgain: SQL) {
  const [stored] = await tx
    .insert(contactMessages)
    .values({ id: randomUUID(), ...input, contentHash: hashOf(input) })
    .onConflictDoUpdate({
      target: contactMessages.contentHash,
      set: { createdAt: sql`now()`, answeredAt: null, answeredBy: null },
      setWhere: canWaitAgain,
    })
    .returning({ id: contactMessages.id });
  // Without a support address it waits in the console.
  if (stored && site.supportEmail) await enqueueMail(tx, site, forwardedMessage(input, site.supportEmail));
}

function hashOf({ name, email, topic, message }: ContactMessage): string {
  return createHash("sha256")
    .update(JSON.stringify([name, email, topic, message]))
    .digest("hex");
}

/** Waits for a transaction that uses the same form. */
async function useForm(tx: Queryable, id: string, contentHash: string) {
  const expiresAt = sql`now() + make_interval(days => ${FORM_DAYS}::int)`;
  const { rowCount } = await tx
    .insert(sentContactForms)
    .values({ id, contentHash, expiresAt })
    .onConflictDoNothing();
  if (rowCount) return "first";
  const isSame = and(eq(sentContactForms.id, id), eq(sentContactForms.contentHash, contentHash));
  return (await tx.$count(sentContactForms, isSame)) > 0 ? "same words" : "other words";
}

export const EXPIRED_FORMS: ExpiredRows = {
  table: sentContactForms,
  condition: sql`${sentContactForms.expiresAt} < now()`,
};
