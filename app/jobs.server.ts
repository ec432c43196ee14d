import { NOTIFY_OWNER, writeOwnerMail } from "./auth/mail-links.server.ts";
import { ANNOUNCE_FEATURE, announceFeature } from "./billing/announcing/announce-feature.server.ts";
import { customerHandlers, syncHandlers } from "./billing/job-handlers.server.ts";
import { RECONCILE, reconcileNightly } from "./billing/sync/reconcile.server.ts";
import { keepFindings } from "./figures/findings.server.ts";
import type { App } from "./http/context.server.ts";
import { deliverMail } from "./mail/deliver.server.ts";
import { SEND_MAIL } from "./mail/enqueue-mail.server.ts";
import { MAIL_ENTRY, sendEntry } from "./news/changelog.server.ts";
import { handleJob } from "./outbox/outbox.server.ts";
import { createWorker, type Worker } from "./outbox/worker.server.ts";
import { MAKE_PROMO_BATCH, makeBatchCodes } from "./promo/batches.server.ts";
import { SEND_INVITATIONS, sendInvitations } from "./waitlist/invite-job.server.ts";

/** Of Stripe's 100 requests a second (https://docs.stripe.com/rate-limits), half is left for payment pages. */
const SYNCS_AT_ONCE = 4;

/** Separate workers, so that neither mail nor updates of names at Stripe delay a payment. @param isStopping checked by long jobs */
export function createWorkers(
  app: Pick<App, "config" | "db" | "log" | "payments" | "mailer" | "telemetry">,
  isStopping: () => boolean,
): Worker[] {
  const { config, db, log, payments, mailer, telemetry } = app;
  const { site } = config;
  const parts = { db, log, telemetry };
  return [
    createWorker(parts, syncHandlers({ config, db, payments }), {
      concurrency: SYNCS_AT_ONCE,
    }),
    createWorker(parts, customerHandlers({ config, db, log, payments }), { concurrency: 2 }),
    createWorker(
      parts,
      [
        handleJob(SEND_MAIL, (mail, job) => deliverMail({ db, mailer, log, telemetry }, site, mail, job)),
        handleJob(NOTIFY_OWNER, (notification) => writeOwnerMail(db, site, notification)),
      ],
      { concurrency: 2 },
    ),
    // Requested by operators: thousands of rows, or mail to everybody.
    createWorker(
      parts,
      [
        handleJob(MAKE_PROMO_BATCH, ({ batchId }) => makeBatchCodes(db, batchId)),
        handleJob(ANNOUNCE_FEATURE, (announcement, job) =>
          announceFeature(db, site, announcement, job, isStopping),
        ),
        handleJob(MAIL_ENTRY, (mailing, job) => sendEntry({ config, db }, mailing, job, isStopping)),
        handleJob(SEND_INVITATIONS, (invitation) => sendInvitations({ config, db }, invitation, isStopping)),
      ],
      { concurrency: 2 },
    ),
    // Of its own, because it runs until all customers are synced.
    createWorker(parts, [
      handleJob(RECONCILE, () =>
        reconcileNightly({ config, db, log, payments }, isStopping, ({ customers, drift, failed, orphans }) =>
          keepFindings(db, {
            customers,
            mended: drift.length,
            failed: failed.length,
            orphans: orphans.length,
          }),
        ),
      ),
    ]),
  ];
}
