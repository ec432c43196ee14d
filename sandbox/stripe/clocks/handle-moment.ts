import { enterNextPhase } from "../schedules/next-phase.ts";
import { lockOr404 } from "../store.ts";
import { retryPayment } from "../subscriptions/dunning.ts";
import { endSubscription, expireIncomplete } from "../subscriptions/end.ts";
import { discardPendingUpdate } from "../subscriptions/pending-update.ts";
import { remindOfRenewal, remindOfTrialEnd } from "../subscriptions/reminders.ts";
import { endPeriod } from "../subscriptions/renew.ts";
import { saveSubscription } from "../subscriptions/subscriptions.ts";
import type { Transaction } from "../transaction.ts";

/** A time at which something falls due for an object: see moments.ts. */
export interface Moment {
  id: string;
  what: string;
  /** Unix seconds. */
  at: number;
}

const HANDLERS = new Map<string, (tx: Transaction, id: string, at: number) => Promise<unknown>>([
  ["expire_incomplete", expireIncomplete],
  ["expire_update", expireUpdate],
  ["resume_collection", resumeCollection],
  ["start_phase", enterNextPhase],
  ["cancel", cancelAtLast],
  ["end_period", endPeriod],
  ["retry_payment", retryPayment],
  ["remind_of_trial_end", remindOfTrialEnd],
  ["remind_of_renewal", remindOfRenewal],
]);

/** Does what is due, in a transaction whose `now` is when it happens. */
export async function handleMoment(tx: Transaction, { id, what, at }: Moment): Promise<void> {
  const handle = HANDLERS.get(what);
  if (!handle) throw new Error(`Nothing handles ${what} of ${id}`);
  await handle(tx, id, at);
}

async function expireUpdate(tx: Transaction, id: string): Promise<void> {
  await discardPendingUpdate(tx, await lockOr404(tx, "subscription", id));
}

async function resumeCollection(tx: Transaction, id: string): Promise<void> {
  const before = await lockOr404(tx, "subscription", id);
  await saveSubscription(tx, before, { ...before, pause_collection: null });
}

async function cancelAtLast(tx: Transaction, id: string, endedAt: number): Promise<void> {
  await endSubscription(tx, await lockOr404(tx, "subscription", id), { endedAt });
}
