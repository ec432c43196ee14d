import { and, asc, desc, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import { user } from "../auth/schema.ts";
import { watchValue } from "../background-loop.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { FEATURES } from "../entitlements/tiers.ts";
import type { App } from "../http/context.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { queueMailing } from "../mail/mails.server.ts";
import { defineJob, enqueue, type Job } from "../outbox/outbox.server.ts";
import { saveProgress } from "../outbox/progress.server.ts";
import type { ChangelogEntry } from "./entry.tsx";
import { changelogMessage } from "./messages.ts";
import { changelogEntries, changelogMails } from "./schema.ts";
import { unsubscribeLink } from "./unsubscribe.server.ts";

declare module "../http/context.server.ts" {
  interface App {
    changelog: ReturnType<typeof watchChangelog>;
  }
}

/** On the pages and in the feed. */
const MAX_SHOWN = 50;

/** Current within five seconds. */
export function watchChangelog({ db, log }: Pick<App, "db" | "log">) {
  return watchValue<ChangelogEntry[]>(
    [],
    () => listEntries(db),
    (error) => log.warn({ error }, "could not read the changelog"),
  );
}

/** The newest first. */
export function listEntries(db: Queryable) {
  return db
    .select()
    .from(changelogEntries)
    .orderBy(desc(changelogEntries.day), desc(changelogEntries.createdAt))
    .limit(MAX_SHOWN);
}

export async function findEntry(db: Queryable, id: string) {
  const [entry] = await db.select().from(changelogEntries).where(eq(changelogEntries.id, id));
  return entry ?? null;
}

/** `id` is made with the form, so that sending it twice makes one entry. */
export const entryForm = z.object({
  id: z.uuid(),
  title: z.string({ error: "Enter a title" }).trim().min(1, "Enter a title").max(120),
  day: z.iso.date("Enter a date such as 2026-11-26"),
  body: z
    .string({ error: "Write what’s new" })
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(z.string().min(1, "Write what’s new").max(5000, "Shorten it to 5,000 characters")),
  feature: z.enum(FEATURES).optional(),
});

export function saveEntry(db: Database, actor: Actor, { id, feature, ...typed }: z.output<typeof entryForm>) {
  return db.transaction(async (tx) => {
    const entry = { ...typed, feature: feature ?? null };
    const before = await findEntry(tx, id);
    await tx
      .insert(changelogEntries)
      .values({ id, ...entry })
      .onConflictDoUpdate({ target: changelogEntries.id, set: { ...entry, updatedAt: sql`now()` } });
    await recordChange(tx, actor, {
      action: before ? "changelog_entry.edited" : "changelog_entry.added",
      subject: `changelog_entry:${id}`,
      before: before && { title: before.title, day: before.day, body: before.body, feature: before.feature },
      after: entry,
    });
  });
}

/** What was mailed of it stays mailed. */
export function deleteEntry(db: Database, actor: Actor, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const [deleted] = await tx.delete(changelogEntries).where(eq(changelogEntries.id, id)).returning();
    if (!deleted) return;
    const { title, day } = deleted;
    await recordChange(tx, actor, {
      action: "changelog_entry.deleted",
      subject: `changelog_entry:${id}`,
      before: { title, day },
    });
  });
}

interface EntryMailing {
  entryId: string;
  after?: string;
}

export const MAIL_ENTRY = defineJob<EntryMailing>("mail_changelog_entry", ({ entryId }) => entryId);

/** To everyone who wants product news; once. @returns whether this call did it */
export function mailEntry(db: Database, actor: Actor, entryId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [entry] = await tx
      .update(changelogEntries)
      .set({ mailedAt: sql`now()` })
      .where(and(eq(changelogEntries.id, entryId), isNull(changelogEntries.mailedAt)))
      .returning();
    if (!entry) return false;
    await enqueue(tx, MAIL_ENTRY, { entryId });
    await recordChange(tx, actor, {
      action: "changelog_entry.mailed",
      subject: `changelog_entry:${entryId}`,
      after: { title: entry.title },
    });
    return true;
  });
}

const WANTS_NEWS = and(isNotNull(user.productNewsSince), user.emailVerified);

/** Among confirmed addresses. */
export function countSubscribers(db: Database): Promise<number> {
  return db.$count(user, WANTS_NEWS);
}

const CHUNK = 200;

/** Enqueues a mail for each recipient, in steps that each commit once. */
export async function sendEntry(
  { config, db }: Pick<App, "db"> & { config: Pick<Config, "site" | "authSecret"> },
  { entryId, after = "" }: EntryMailing,
  job: Pick<Job, "id">,
  isStopping: () => boolean,
): Promise<void> {
  await queueMailing(db, after, isStopping, async (tx, reached) => {
    const entry = await findEntry(tx, entryId);
    if (!entry) return null;
    // Locked, so that who unsubscribes or deletes the account meanwhile gets none after it.
    const next = await tx
      .select({ id: user.id, email: user.email })
      .from(user)
      .where(and(WANTS_NEWS, gt(user.id, reached)))
      .orderBy(asc(user.id))
      .limit(CHUNK)
      .for("share");
    const last = next.at(-1)?.id;
    if (last === undefined) return null;
    const unsent = await tx
      .insert(changelogMails)
      .values(next.map(({ id: userId }) => ({ entryId, userId })))
      .onConflictDoNothing()
      .returning({ userId: changelogMails.userId });
    const ids = new Set(unsent.map(({ userId }) => userId));
    for (const { id, email } of next) {
      if (!ids.has(id)) continue;
      const leaveUrl = unsubscribeLink(id, config);
      await enqueueMail(tx, config.site, changelogMessage(entry, { email, leaveUrl }, config.site));
    }
    await saveProgress<EntryMailing>(tx, job, { after: last });
    return last;
  });
}
