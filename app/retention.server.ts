import { sql } from "drizzle-orm";
import { session } from "./auth/schema.ts";
import {
  billingNotices,
  checkoutAttempts,
  countedRefunds,
  renewalConsents,
  stripeEvents,
} from "./billing/schema.ts";
import type { Queryable } from "./db/client.server.ts";
import { deleteInBatches, type ExpiredRows } from "./db/delete-batches.server.ts";
import { pageViews } from "./figures/schema.ts";
import { mails } from "./mail/schema.ts";
import { outbox } from "./outbox/schema.ts";

/** Days. The privacy page names the same (marketing/legal/privacy.md); retention.server.test.ts compares them. */
export const RETENTION_DAYS = {
  /** Their payloads are cleared at once. */
  doneJobs: 30,
  /** Since each was written. */
  mails: 30,
  handledEvents: 30,
  /** They can no longer be paid. */
  closedAttempts: 90,
  /** No mail is due again after as long. An expiring card is announced once, for as long as it is there. */
  planNotices: 400,
  expiredSessions: 1,
  /** After several in a year an operator decides. */
  countedRefunds: 365,
  /** A year, and the month to compare it with. */
  pageViews: 400,
} as const;

const before = (days: number) => sql`now() - make_interval(days => ${days}::int)`;
const { closedAttempts } = RETENTION_DAYS;

const OUTLIVED: ExpiredRows[] = [
  { table: outbox, condition: sql`${outbox.doneAt} < ${before(RETENTION_DAYS.doneJobs)}` },
  { table: mails, condition: sql`${mails.queuedAt} < ${before(RETENTION_DAYS.mails)}` },
  {
    table: stripeEvents,
    condition: sql`${stripeEvents.handledAt} < ${before(RETENTION_DAYS.handledEvents)}`,
  },
  {
    table: checkoutAttempts,
    condition: sql`${checkoutAttempts.status} = 'closed' AND ${checkoutAttempts.checkAt} IS NULL
      AND ${checkoutAttempts.createdAt} < ${before(closedAttempts)}`,
  },
  // Of payment pages left unpaid.
  {
    table: renewalConsents,
    condition: sql`${renewalConsents.subscriptionId} IS NULL AND ${renewalConsents.agreedAt} < ${before(closedAttempts)}
      AND NOT EXISTS (SELECT FROM ${checkoutAttempts} WHERE ${checkoutAttempts.id} = ${renewalConsents.id})`,
  },
  {
    table: billingNotices,
    condition: sql`${billingNotices.kind} <> 'card_expires' AND ${billingNotices.createdAt} < ${before(RETENTION_DAYS.planNotices)}`,
  },
  {
    table: countedRefunds,
    condition: sql`${countedRefunds.refundedAt} < ${before(RETENTION_DAYS.countedRefunds)}`,
  },
  { table: session, condition: sql`${session.expiresAt} < ${before(RETENTION_DAYS.expiredSessions)}` },
  {
    table: pageViews,
    condition: sql`${pageViews.day} < (now() AT TIME ZONE 'UTC')::date - ${RETENTION_DAYS.pageViews}::int`,
  },
];

/** For tables without their own cleanup. Safe to run at any time. */
export async function deleteOutlived(db: Queryable): Promise<void> {
  for (const outlived of OUTLIVED) await deleteInBatches(db, outlived);
}
