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

/**
 * How many days obsolete rows are kept. The privacy page names the same periods (marketing/legal/privacy.md);
 * retention.server.test.ts compares them.
 */
export const RETENTION_DAYS = {
  /** Finished jobs, whose payloads are cleared at once. */
  doneJobs: 30,
  /** The operator's list of mails, from when each was written. */
  mails: 30,
  /** Stripe events that have been handled. */
  handledEvents: 30,
  /** Checkout attempts that can no longer be paid. */
  closedAttempts: 90,
  /** Which mails about a plan were sent: none is due again after as long. A card is told of once, for as long as there is one. */
  planNotices: 400,
  /** Sign-ins that have ended by themselves. */
  expiredSessions: 1,
  /** Refunds, by mailbox: after several in a year an operator decides. */
  countedRefunds: 365,
  /** Views of pages, by day: a year, and the month to compare it with. */
  pageViews: 400,
} as const;

const {
  doneJobs,
  mails: listedMails,
  handledEvents,
  closedAttempts,
  planNotices,
  expiredSessions,
} = RETENTION_DAYS;
const before = (days: number) => sql`now() - make_interval(days => ${days}::int)`;

const OUTLIVED: ExpiredRows[] = [
  { table: outbox, condition: sql`${outbox.doneAt} < ${before(doneJobs)}` },
  { table: mails, condition: sql`${mails.queuedAt} < ${before(listedMails)}` },
  { table: stripeEvents, condition: sql`${stripeEvents.handledAt} < ${before(handledEvents)}` },
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
    condition: sql`${billingNotices.kind} <> 'card_expires' AND ${billingNotices.createdAt} < ${before(planNotices)}`,
  },
  {
    table: countedRefunds,
    condition: sql`${countedRefunds.refundedAt} < ${before(RETENTION_DAYS.countedRefunds)}`,
  },
  { table: session, condition: sql`${session.expiresAt} < ${before(expiredSessions)}` },
  {
    table: pageViews,
    condition: sql`${pageViews.day} < (now() AT TIME ZONE 'UTC')::date - ${RETENTION_DAYS.pageViews}::int`,
  },
];

/** Deletes rows past their retention period from every table without its own cleanup. Safe to run at any time. */
export async function deleteOutlived(db: Queryable): Promise<void> {
  for (const outlived of OUTLIVED) await deleteInBatches(db, outlived);
}
