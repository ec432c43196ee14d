import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { session } from "./auth/schema.ts";
import { checkoutAttempts, stripeEvents } from "./billing/schema.ts";
import type { Queryable } from "./db/client.server.ts";
import { deleteInBatches } from "./db/delete-batches.server.ts";
import { outbox } from "./outbox/schema.ts";

/**
 * For how many days what nobody needs any more is kept. The privacy page names the same days (marketing/legal/privacy.md);
 * retention.server.test.ts compares them.
 */
export const RETENTION_DAYS = {
  /** Jobs that are done; what they were about is cleared at once. */
  doneJobs: 30,
  /** What Stripe told us of, once it is handled. */
  handledEvents: 30,
  /** Payment pages that were opened, once nothing can be paid on them any more. */
  closedAttempts: 90,
  /** Sign-ins that have ended by themselves. */
  expiredSessions: 1,
} as const;

/** Deletes what has been kept for its days, of every table that nothing else clears. Safe to run at any time. */
export async function deleteOutlived(db: Queryable): Promise<void> {
  const before = (days: number) => sql`now() - make_interval(days => ${days}::int)`;
  const { doneJobs, handledEvents, closedAttempts, expiredSessions } = RETENTION_DAYS;
  const outlived: [PgTable, SQL][] = [
    [outbox, sql`${outbox.doneAt} < ${before(doneJobs)}`],
    [stripeEvents, sql`${stripeEvents.handledAt} < ${before(handledEvents)}`],
    [
      checkoutAttempts,
      sql`${checkoutAttempts.status} = 'closed' AND ${checkoutAttempts.checkAt} IS NULL
        AND ${checkoutAttempts.createdAt} < ${before(closedAttempts)}`,
    ],
    [session, sql`${session.expiresAt} < ${before(expiredSessions)}`],
  ];
  for (const [table, condition] of outlived) await deleteInBatches(db, table, condition);
}
