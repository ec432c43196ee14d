import { deleteAccount } from "./account/delete-account.server.ts";
import { findOpenSubscription } from "./billing/open-subscription.server.ts";
import { listUndone } from "./db/erasures.server.ts";
import type { App } from "./http/context.server.ts";
import { createUserHooks } from "./user-hooks.server.ts";
import { leaveAgain } from "./waitlist/leave.server.ts";

/** Waitlist places deleted per transaction. */
const BATCH_SIZE = 500;

export interface Replayed {
  accounts: number;
  places: number;
  /** Accounts that could not be deleted, because Stripe did not answer. The sweeps retry. */
  left: number;
}

/**
 * Deletes again what was deleted on request but exists, as after a backup was restored. Uses the same functions as the
 * buttons, so that Stripe and the outbox are updated alike, but sends no mail. Safe to run at any time; usually finds nothing.
 *
 * @param isStopping checked between two accounts; the rest is left to the next run
 */
export async function replayErasures(
  app: Pick<App, "config" | "db" | "payments" | "log">,
  isStopping = () => false,
): Promise<Replayed> {
  const undone = await listUndone(app.db);
  const idsOf = (wanted: string) => undone.filter(({ subject }) => subject === wanted).map(({ id }) => id);
  const places = idsOf("waitlist");
  for (let start = 0; start < places.length; start += BATCH_SIZE)
    await leaveAgain(app.db, places.slice(start, start + BATCH_SIZE));

  const accounts = idsOf("user");
  const parts = { ...app, userHooks: createUserHooks(app.config) };
  let deleted = 0;
  for (const id of accounts) {
    if (isStopping()) break;
    const subscription = await findOpenSubscription(app.db, id);
    const outcome = await deleteAccount(parts, id, subscription?.id ?? null, { saysGoodbye: false });
    if (outcome === "deleted") deleted++;
  }
  return { accounts: deleted, places: places.length, left: accounts.length - deleted };
}
