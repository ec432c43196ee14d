import { deleteAccount } from "./account/delete-account.server.ts";
import { findOpenSubscription } from "./billing/open-subscription.server.ts";
import { listUndone } from "./db/erasures.server.ts";
import type { App } from "./http/context.server.ts";
import { leaveWaitlist } from "./waitlist/leave.server.ts";

/** Per transaction. */
const BATCH_SIZE = 500;

/** After a restore, by the functions of the buttons, but without mail. Safe to run at any time. */
export async function replayErasures(
  app: Pick<App, "config" | "db" | "payments" | "log">,
  isStopping = () => false,
) {
  const undone = await listUndone(app.db);
  const idsOf = (wanted: string) => undone.filter(({ subject }) => subject === wanted).map(({ id }) => id);
  const places = idsOf("waitlist");
  for (let start = 0; start < places.length; start += BATCH_SIZE)
    await leaveWaitlist(app.db, places.slice(start, start + BATCH_SIZE));

  const accounts = idsOf("user");
  let deleted = 0;
  for (const id of accounts) {
    if (isStopping()) break;
    const subscription = await findOpenSubscription(app.db, id);
    const outcome = await deleteAccount(app, id, subscription?.id ?? null, { saysGoodbye: false });
    if (outcome === "deleted") deleted++;
  }
  // Of those left, Stripe did not answer: the sweeps retry.
  return { accounts: deleted, places: places.length, left: accounts.length - deleted };
}
