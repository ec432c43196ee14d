import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import type { Job } from "../outbox/outbox.server.ts";
import { noteEvent } from "../telemetry/events.ts";
import { NO_TELEMETRY } from "../telemetry/telemetry.ts";
import type { Site } from "../ui/site.ts";
import { toHtml } from "./email-template.server.tsx";
import type { QueuedMail } from "./enqueue-mail.server.ts";
import { mails } from "./schema.ts";

/** As mail servers retry (RFC 5321 §4.5.4.1: four or five days). */
const MAX_RETRY_DAYS = 5;

/**
 * Gives up when the address does not exist, or after days, because texts should not be stored forever. The result is listed before the
 * job counts as done: if the process dies in between, the mail is sent again.
 * @throws when a later attempt may succeed
 */
export async function deliverMail(
  {
    db,
    mailer,
    log,
    telemetry = NO_TELEMETRY,
  }: Pick<App, "db" | "mailer" | "log"> & Partial<Pick<App, "telemetry">>,
  site: Site,
  mail: QueuedMail,
  job: Job,
): Promise<void> {
  let isAccepted: boolean;
  try {
    if (!mailer.isOn) throw new Error("mail is off");
    isAccepted = await mailer.send(
      "paragraphs" in mail ? { ...mail, html: toHtml(site, mail) } : mail,
      job.id,
    );
  } catch (error) {
    count("failed");
    if (Date.now() - job.createdAt.getTime() < MAX_RETRY_DAYS * 24 * 60 * 60 * 1000) throw error;
    return giveUp(
      mailer.isOn
        ? `no server took it for ${MAX_RETRY_DAYS} days`
        : `mail was off for ${MAX_RETRY_DAYS} days`,
    );
  }
  if (!isAccepted) return giveUp("the address does not exist");
  count("sent");
  await write(db, job, { sentAt: sql`now()` });

  async function giveUp(failure: string): Promise<void> {
    log.warn({ job: job.id }, `a mail was given up: ${failure}`);
    count("given_up");
    await write(db, job, { givenUpAt: sql`now()`, failure });
    noteEvent(db, { event: "job_given_up", jobId: job.id });
  }

  function count(outcome: "sent" | "failed" | "given_up"): void {
    telemetry.meters.record("mail_deliveries_total", { outcome });
  }
}

/** Unless it is recorded already. */
async function write(
  db: Database,
  { id }: Job,
  outcome: { sentAt: SQL } | { givenUpAt: SQL; failure: string },
): Promise<void> {
  await db
    .update(mails)
    .set(outcome)
    .where(and(eq(mails.id, BigInt(id)), isNull(mails.sentAt), isNull(mails.givenUpAt)));
}
