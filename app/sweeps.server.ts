import { deleteExpiredKeys } from "./auth/keys.server.ts";
import { deleteExpiredMailLinks } from "./auth/mail-links.server.ts";
import { deleteExpiredFlows } from "./auth/providers/flow.server.ts";
import { enqueueDueChecks } from "./billing/attempt-checks.server.ts";
import { sendTimedNotices } from "./billing/notices/timed.server.ts";
import { enqueueNightlyReconciliation } from "./billing/reconcile/nightly.server.ts";
import { enqueueOverdueSyncs } from "./billing/sync/overdue.server.ts";
import { deleteOldErasures } from "./db/erasures.server.ts";
import { countFigures } from "./figures/count.server.ts";
import { deleteExpiredHandoffs } from "./hosted-app/accept-handoff.server.ts";
import type { App } from "./http/context.server.ts";
import { deleteExpiredLimits } from "./limits/rate-limit.server.ts";
import { replayErasures } from "./replay-erasures.server.ts";
import { deleteOutlived } from "./retention.server.ts";
import { deleteUnconfirmed } from "./waitlist/leave.server.ts";

/**
 * Runs all periodic maintenance, one task after another: queues syncs for what Stripe should have reported by now and mails
 * about what is to come, deletes expired rows, and counts. A task that fails is logged and does not affect the others.
 *
 * @param isWithSlow also what can wait some minutes: mails about the days to come, and deletions
 */
export async function sweepAll(
  { config, db, payments, log }: Pick<App, "config" | "db" | "payments" | "log">,
  isStopping: () => boolean,
  isWithSlow = true,
): Promise<void> {
  const paymentSweeps: [failure: string, sweep: () => Promise<void>][] = [
    ["could not look for overdue syncs", () => enqueueOverdueSyncs(db)],
    ["could not look for payments to ask about", () => enqueueDueChecks(db)],
    ["could not plan the night’s comparison with Stripe", () => enqueueNightlyReconciliation(db)],
  ];
  const notices: typeof paymentSweeps = [
    ["could not write what plans have coming", () => sendTimedNotices(db, config.site)],
  ];
  const deletions: typeof paymentSweeps = [
    [
      "could not delete again who had been deleted before a backup was restored",
      async () => void (await replayErasures({ config, db, payments, log }, isStopping)),
    ],
    ["could not delete unconfirmed addresses", () => deleteUnconfirmed(db, config.site)],
    ["could not delete expired links", () => deleteExpiredMailLinks(db)],
    ["could not delete sign-ins that were not finished", () => deleteExpiredFlows(db)],
    ["could not delete expired keys", () => deleteExpiredKeys(db)],
    ["could not delete tokens that were handed over", () => deleteExpiredHandoffs(db)],
    ["could not delete what limits remember", () => deleteExpiredLimits(db)],
    ["could not forget what no backup holds any more", () => deleteOldErasures(db, config.backup.keepDays)],
    ["could not delete what has been kept for its days", () => deleteOutlived(db)],
  ];
  const figures: typeof paymentSweeps = [
    ["could not count the figures of the console", () => countFigures(db, config.currency, isStopping)],
  ];
  for (const [failure, sweep] of [
    ...(payments.isOn ? paymentSweeps : []),
    ...(isWithSlow ? [...notices, ...deletions] : []),
    ...figures,
  ]) {
    if (isStopping()) return;
    await sweep().catch((error: unknown) => log.warn({ error }, failure));
  }
}
