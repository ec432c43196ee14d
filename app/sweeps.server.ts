import { type SQL, sql } from "drizzle-orm";
import { EXPIRED_KEYS } from "./auth/keys.server.ts";
import { EXPIRED_MAIL_LINKS } from "./auth/mail-links.server.ts";
import { EXPIRED_FLOWS } from "./auth/providers/flow.server.ts";
import { enqueueDueChecks, IS_ANY_CHECK_DUE } from "./billing/attempt-checks.server.ts";
import { sendTimedNotices } from "./billing/notices/timed.server.ts";
import { enqueueNightlyReconciliation, isNight } from "./billing/reconcile/nightly.server.ts";
import { enqueueOverdueSyncs, IS_ANY_OVERDUE } from "./billing/sync/overdue.server.ts";
import { EXPIRED_FORMS } from "./contact/store.server.ts";
import { deleteInBatches, hasAny, type Outlived } from "./db/delete-batches.server.ts";
import { IS_ANY_UNDONE, oldErasures } from "./db/erasures.server.ts";
import { ARE_FIGURES_DUE, countFigures, type LastCount } from "./figures/count.server.ts";
import { EXPIRED_HANDOFFS } from "./hosted-app/accept-handoff.server.ts";
import type { App } from "./http/context.server.ts";
import { EXPIRED_LIMITS } from "./limits/rate-limit.server.ts";
import { replayErasures } from "./replay-erasures.server.ts";
import { deleteOutlived, IS_ANY_OUTLIVED } from "./retention.server.ts";
import { endUnconfirmedAccounts, IS_ANY_UNCONFIRMED } from "./unconfirmed-accounts.server.ts";
import { deleteUnconfirmed, UNCONFIRMED } from "./waitlist/leave.server.ts";
import { hashPlainTokens, hasPlainToken } from "./waitlist/place-token.server.ts";

/** What can wait is done every so many rounds, the first included: every five minutes. */
const ROUNDS_TO_SLOW_ONE = 10;

interface Sweep {
  /** What is logged when it fails. */
  failure: string;
  /** Whether there is anything to do; found by index, or in a small table. */
  isDue: SQL;
  run(): Promise<void>;
}

/**
 * Makes a function that runs a round of all periodic maintenance: queues syncs for what Stripe should have reported by now and
 * mails about what is to come, deletes expired rows, and counts. Which of it there is to do, one question says. A task that fails
 * is logged and does not affect the others.
 */
export function createSweeps(
  { config, db, payments, log }: Pick<App, "config" | "db" | "payments" | "log">,
  isStopping: () => boolean,
): () => Promise<void> {
  const deletion = (failure: string, outlived: Outlived): Sweep => ({
    failure,
    isDue: hasAny(outlived),
    run: () => deleteInBatches(db, outlived),
  });
  const lastCount: LastCount = { writes: null };
  const paymentSweeps: Sweep[] = [
    {
      failure: "could not look for overdue syncs",
      isDue: IS_ANY_OVERDUE,
      run: () => enqueueOverdueSyncs(db),
    },
    {
      failure: "could not look for payments to ask about",
      isDue: IS_ANY_CHECK_DUE,
      run: () => enqueueDueChecks(db),
    },
    {
      failure: "could not plan the night’s comparison with Stripe",
      isDue: isNight(),
      run: () => enqueueNightlyReconciliation(db),
    },
  ];
  const slowSweeps: Sweep[] = [
    {
      failure: "could not write what plans have coming",
      // Reads as much to find the first of them as to find all.
      isDue: sql`true`,
      run: () => sendTimedNotices(db, config.site),
    },
    {
      failure: "could not delete again who had been deleted before a backup was restored",
      isDue: IS_ANY_UNDONE,
      run: async () => void (await replayErasures({ config, db, payments, log }, isStopping)),
    },
    {
      failure: "could not end accounts with addresses nobody confirmed",
      isDue: IS_ANY_UNCONFIRMED,
      run: () => endUnconfirmedAccounts({ config, db, log, payments }, isStopping),
    },
    {
      failure: "could not delete unconfirmed addresses",
      isDue: hasAny(UNCONFIRMED),
      run: () => deleteUnconfirmed(db),
    },
    {
      failure: "could not hash the tokens of the waitlist’s links",
      isDue: sql`EXISTS (SELECT FROM waitlist WHERE ${hasPlainToken(config.version.text)})`,
      run: () => hashPlainTokens(db, config.version.text, isStopping),
    },
    deletion("could not delete expired links", EXPIRED_MAIL_LINKS),
    deletion("could not delete sign-ins that were not finished", EXPIRED_FLOWS),
    deletion("could not delete expired keys", EXPIRED_KEYS),
    deletion("could not delete tokens that were handed over", EXPIRED_HANDOFFS),
    deletion("could not delete what limits remember", EXPIRED_LIMITS),
    deletion("could not delete which contact forms were sent", EXPIRED_FORMS),
    deletion("could not forget what no backup holds any more", oldErasures(config.backup.keepDays)),
    {
      failure: "could not delete what has been kept for its days",
      isDue: IS_ANY_OUTLIVED,
      run: () => deleteOutlived(db),
    },
  ];
  const figures: Sweep = {
    failure: "could not count the figures of the console",
    isDue: ARE_FIGURES_DUE,
    run: () => countFigures(db, config.currency, isStopping, lastCount),
  };

  let rounds = 0;
  return async function sweep() {
    const isSlow = rounds++ % ROUNDS_TO_SLOW_ONE === 0;
    const sweeps = [...(payments.isOn ? paymentSweeps : []), ...(isSlow ? slowSweeps : []), figures];
    for (const { failure, run } of await findDue(sweeps)) {
      if (isStopping()) return;
      await run().catch((error: unknown) => log.warn({ error }, failure));
    }
  };

  /** @returns all of them when the question has no answer: each looks for itself then */
  async function findDue(sweeps: readonly Sweep[]): Promise<readonly Sweep[]> {
    const conditions = sweeps.map(({ isDue }) => sql`(${isDue})`);
    try {
      const { rows } = await db.execute<{ due: boolean[] }>(
        sql`SELECT ARRAY[${sql.join(conditions, sql`, `)}] AS due`,
      );
      return sweeps.filter((_sweep, index) => rows[0]?.due[index]);
    } catch (error) {
      log.warn({ error }, "could not ask what there is to sweep");
      return sweeps;
    }
  }
}
