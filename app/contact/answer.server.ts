import { and, eq, getTableColumns, inArray, isNull, sql } from "drizzle-orm";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { mails } from "../mail/schema.ts";
import { formatDay } from "../ui/format-day.ts";
import type { Site } from "../ui/site.ts";
import { answerMessage } from "./messages.ts";
import { contactMessages } from "./schema.ts";

const { contentHash: _, ...columns } = getTableColumns(contactMessages);
export const MESSAGE_COLUMNS = columns;

export type StoredMessage = NonNullable<Awaited<ReturnType<typeof findMessage>>>;

export async function findMessage(db: Queryable, id: string) {
  const [message] = await db.select(MESSAGE_COLUMNS).from(contactMessages).where(eq(contactMessages.id, id));
  return message ?? null;
}

export type Answering = { ok: true } | Failure;

/** Of two operators at once one answers. @param answer `null`: only note it. @returns 409 when it is answered or gone */
export function answerOnce(
  db: Database,
  site: Site,
  actor: Actor,
  id: string,
  answer: string | null,
  isQuoted = false,
): Promise<Answering> {
  return db.transaction(async (tx) => {
    const [answered] = await tx
      .update(contactMessages)
      .set({ answeredAt: sql`now()`, answeredBy: actor.name, ...(answer !== null && { answer }) })
      .where(and(eq(contactMessages.id, id), isNull(contactMessages.answeredAt)))
      .returning(MESSAGE_COLUMNS);
    if (!answered) return whyNot(await findMessage(tx, id));
    if (answer !== null) {
      await forgetAnswers(tx, answered);
      await sendAnswer(tx, site, answered, answer, isQuoted);
    }
    await recordChange(tx, actor, {
      action: answer === null ? "contact_message.marked_answered" : "contact_message.answered",
      subject: `contact_message:${id}`,
      before: { answered: false },
      after: { answered: true },
    });
    return { ok: true };
  });
}

/** As it was sent, unless another answer has replaced it. @returns whether it is there */
export function resendAnswer(
  db: Database,
  site: Site,
  actor: Actor,
  id: string,
  isQuoted: boolean,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [message] = await tx.select().from(contactMessages).where(eq(contactMessages.id, id)).for("update");
    if (!message?.answer) return false;
    await sendAnswer(tx, site, message, message.answer, isQuoted);
    await recordChange(tx, actor, {
      action: "contact_message.answer_sent_again",
      subject: `contact_message:${id}`,
    });
    return true;
  });
}

async function sendAnswer(
  tx: Queryable,
  site: Site,
  message: StoredMessage,
  answer: string,
  isQuoted: boolean,
): Promise<void> {
  const quote = isQuoted ? message.message : null;
  const about = `${isQuoted ? "quoted_answer" : "answer"}:${message.id}`;
  await enqueueMail(tx, site, answerMessage(message, answer, site, quote), { about });
}

/** Once another replaces it, an answer cannot be written anew. */
async function forgetAnswers(tx: Queryable, { id, email }: StoredMessage): Promise<void> {
  const isAnswer = inArray(mails.about, [`answer:${id}`, `quoted_answer:${id}`]);
  await tx
    .update(mails)
    .set({ about: null })
    .where(and(eq(mails.recipient, email.toLowerCase()), isAnswer));
}

export function reopen(db: Database, actor: Actor, id: string): Promise<Answering> {
  return db.transaction(async (tx) => {
    const { rowCount } = await tx
      .update(contactMessages)
      .set({ answeredAt: null, answeredBy: null })
      .where(and(eq(contactMessages.id, id), sql`${contactMessages.answeredAt} IS NOT NULL`));
    if (!rowCount) return (await findMessage(tx, id)) ? { ok: true } : GONE;
    await recordChange(tx, actor, {
      action: "contact_message.reopened",
      subject: `contact_message:${id}`,
      before: { answered: true },
      after: { answered: false },
    });
    return { ok: true };
  });
}

export function deleteMessage(db: Database, actor: Actor, id: string): Promise<Answering> {
  return db.transaction(async (tx) => {
    const { rowCount } = await tx.delete(contactMessages).where(eq(contactMessages.id, id));
    if (!rowCount) return GONE;
    await recordChange(tx, actor, { action: "contact_message.deleted", subject: `contact_message:${id}` });
    return { ok: true };
  });
}

const GONE = failure(409, "This message has been deleted. Nothing was sent.");

function whyNot(message: StoredMessage | null): Failure {
  if (!message?.answeredAt) return GONE;
  return failure(
    409,
    `${message.answeredBy} answered it on ${formatDay(message.answeredAt)} at ${message.answeredAt.toISOString().slice(11, 16)} UTC. Nothing more was sent.`,
  );
}
