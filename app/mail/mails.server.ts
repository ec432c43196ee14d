import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, isNotNull, isNull, not, type SQL, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { outbox } from "../outbox/schema.ts";
import { SEND_MAIL } from "./enqueue-mail.server.ts";
import { mails } from "./schema.ts";

export type MailState = "waiting" | "failing" | "given_up" | "sent";

/** Of a mail joined with its job. */
export const STATE_OF_MAIL = sql<MailState>`CASE WHEN sent_at IS NOT NULL THEN 'sent'
  WHEN given_up_at IS NOT NULL THEN 'given_up' WHEN last_error IS NOT NULL THEN 'failing' ELSE 'waiting' END`;

const isWaiting = and(isNull(mails.sentAt), isNull(mails.givenUpAt));

const IS_FAILING = sql`EXISTS (
  SELECT FROM ${outbox} WHERE ${outbox.id} = ${mails.id} AND ${outbox.doneAt} IS NULL AND ${outbox.lastError} IS NOT NULL)`;

/** Each has an index. Failing mails are among those that wait. */
export const MAILS_THAT_ARE: Record<MailState | "not_failed", SQL | undefined> = {
  waiting: isWaiting,
  failing: and(isWaiting, IS_FAILING),
  given_up: isNotNull(mails.givenUpAt),
  sent: isNotNull(mails.sentAt),
  not_failed: and(isNull(mails.givenUpAt), not(IS_FAILING)),
};

/** Of a mail joined with its job. */
export const MAIL_COLUMNS = {
  id: sql<string>`${mails.id}::text`,
  recipient: mails.recipient,
  subject: mails.subject,
  state: STATE_OF_MAIL,
  about: mails.about,
  queuedAt: mails.queuedAt,
  sentAt: mails.sentAt,
  givenUpAt: mails.givenUpAt,
  failure: mails.failure,
  attempts: sql<number>`coalesce(${outbox.attempts}, 0)`,
  lastError: outbox.lastError,
  nextTryAt: sql<Date | null>`CASE WHEN ${outbox.doneAt} IS NULL THEN ${outbox.runAt} END`.mapWith(
    mails.queuedAt,
  ),
};

export type ListedMail = NonNullable<Awaited<ReturnType<typeof findMail>>>;

export async function findMail(db: Queryable, id: string) {
  if (!/^[1-9]\d{0,17}$/.test(id)) return null;
  const [mail] = await db
    .select(MAIL_COLUMNS)
    .from(mails)
    .leftJoin(outbox, eq(outbox.id, mails.id))
    .where(eq(mails.id, BigInt(id)));
  return mail ?? null;
}

const MOST_DUE_MAILS = 100;

/** A sign-in link would wait behind thousands of due mails. */
export async function hasMailJam(db: Queryable): Promise<boolean> {
  const due = await db
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(isNull(outbox.doneAt), sql`${outbox.runAt} <= now()`, eq(outbox.kind, SEND_MAIL.name)))
    .limit(MOST_DUE_MAILS);
  return due.length === MOST_DUE_MAILS;
}

const PAUSE_MILLISECONDS = 200;

/** Pauses while many mails are due. @param step returns where it got to, or `null` at the end. @throws when the process stops */
export async function queueMailing(
  db: Database,
  after: string,
  isStopping: () => boolean,
  step: (tx: Queryable, reached: string) => Promise<string | null>,
): Promise<void> {
  let from: string | null = after;
  while (from !== null) {
    if (isStopping()) throw new Error("the process stops; another goes on");
    if (await hasMailJam(db)) {
      await sleep(PAUSE_MILLISECONDS);
      continue;
    }
    const reached: string = from;
    from = await db.transaction((tx) => step(tx, reached));
  }
}
