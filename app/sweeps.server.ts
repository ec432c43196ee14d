import { EXPIRED_KEYS } from "./auth/keys.server.ts";
import { EXPIRED_MAIL_LINKS } from "./auth/mail-links.server.ts";
import { EXPIRED_FLOWS } from "./auth/providers/flow.server.ts";
import { enqueueDueChecks } from "./billing/attempt-checks.server.ts";
import { sendTimedNotices } from "./billing/notices/timed.server.ts";
import { enqueueOverdueSyncs } from "./billing/sync/overdue.server.ts";
import { enqueueNightlyReconciliation } from "./billing/sync/reconcile.server.ts";
import { EXPIRED_FORMS } from "./contact/store.server.ts";
import { deleteInBatches, type ExpiredRows } from "./db/delete-batches.server.ts";
import { oldErasures } from "./db/erasures.server.ts";
import { countFigures } from "./figures/count.server.ts";
import { EXPIRED_HANDOFFS } from "./hosted-app/accept-handoff.server.ts";
import type { App } from "./http/context.server.ts";
import { EXPIRED_LIMITS } from "./limits/rate-limit.server.ts";
import { replayErasures } from "./replay-erasures.server.ts";
import { deleteOutlived } from "./retention.server.ts";
import { endUnconfirmedAccounts } from "./unconfirmed-accounts.server.ts";
import { deleteUnconfirmed } from "./waitlist/leave.server.ts";
import { countFriendsOfBefore } from "./waitlist/order.server.ts";
import { hashPlainTokens } from "./waitlist/place-token.server.ts";

/** Every five minutes, and in the first round. */
const ROUNDS_TO_SLOW_ONE = 10;

interface Sweep {
  failure: string;
  run(): Promise<unknown>;
}

/** Tasks may run in several processes at once, and find what is due by index. One that fails does not affect the others. */
export function createSweeps(
  { config, db, payments, log }: Pick<App, "config" | "db" | "payments" | "log">,
  isStopping: () => boolean,
): () => Promise<void> {
  const deletion = (failure: string, outlived: ExpiredRows): Sweep => ({
    failure,
    run: () => deleteInBatches(db, outlived),
  });
  const paymentSweeps: Sweep[] = [
    { failure: "could not look for overdue syncs", run: () => enqueueOverdueSyncs(db) },
    { failure: "could not look for payments to ask about", run: () => enqueueDueChecks(db) },
    {
      failure: "could not plan the night’s comparison with Stripe",
      run: () => enqueueNightlyReconciliation(db),
    },
  ];
  const slowSweeps: Sweep[] = [
    { failure: "could not write what plans have coming", run: () => sendTimedNotices(db, config.site) },
    {
      failure: "could not delete again who had been deleted before a backup was restored",
      run: () => replayErasures({ config, db, payments, log }, isStopping),
    },
    {
      failure: "could not end accounts with addresses nobody confirmed",
      run: () => endUnconfirmedAccounts({ config, db, log, payments }, isStopping),
    },
    { failure: "could not delete unconfirmed addresses", run: () => deleteUnconfirmed(db) },
    {
      failure: "could not hash the tokens of the waitlist’s links",
      run: () => hashPlainTokens(db, config.version.text, isStopping),
    },
    deletion("could not delete expired links", EXPIRED_MAIL_LINKS),
    deletion("could not delete sign-ins that were not finished", EXPIRED_FLOWS),
    deletion("could not delete expired keys", EXPIRED_KEYS),
    deletion("could not delete tokens that were handed over", EXPIRED_HANDOFFS),
    deletion("could not delete what limits remember", EXPIRED_LIMITS),
    deletion("could not delete which contact forms were sent", EXPIRED_FORMS),
    deletion("could not forget what no backup holds any more", oldErasures(config.backup.keepDays)),
    { failure: "could not delete what has been kept for its days", run: () => deleteOutlived(db) },
  ];
  const friends: Sweep = {
    failure: "could not count the friends that a process of the previous version confirmed",
    run: () => countFriendsOfBefore(db),
  };
  const figures: Sweep = {
    failure: "could not count the figures of the console",
    run: () => countFigures(db, config.currency, isStopping),
  };

  let rounds = 0;
  return async function sweep() {
    const isSlow = rounds++ % ROUNDS_TO_SLOW_ONE === 0;
    const sweeps = [...(payments.isOn ? paymentSweeps : []), ...(isSlow ? slowSweeps : []), friends, figures];
    for (const { failure, run } of sweeps) {
      if (isStopping()) return;
      await run().catch((error: unknown) => log.warn({ error }, failure));
    }
  };
}
