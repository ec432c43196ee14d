import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import type Stripe from "stripe";
import { user } from "../../auth/schema.ts";
import type { Database, Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Site } from "../../ui/site.ts";
import { prices } from "../catalogue-schema.ts";
import { findCustomer } from "../customer.server.ts";
import { isRefusal } from "../stripe-errors.server.ts";
import { type SyncSettings, syncCustomer } from "../sync.server.ts";
import { changeRefusedMessage } from "./messages.ts";
import { refundAndEnd } from "./refund.server.ts";
import { canBeChanged, isOver } from "./states.ts";
import { isAsWished, isChargedUnreviewed, sendWish } from "./stripe-plan.server.ts";
import { dropWish, findChange, markApplied, type PlanChange, reopenNewerWish } from "./wish.server.ts";

/** Each round answers a wish that came meanwhile; more of them than this is no person pressing buttons. */
const MAX_ROUNDS = 20;
/** How often Stripe may refuse a wish before it is forgotten, and the shortest pause between two tries. */
const MAX_REFUSALS = 4;
const REFUSAL_MILLISECONDS = 100;

/** - `applied`: Stripe has it; a payment it needs may still be open. - `refused`: Stripe will not do it; it is forgotten. */
export type Application = "applied" | "refused";

/**
 * Makes Stripe's subscription what its customer asked for last. Safe to run at any time, any number of times, by several
 * processes at once: whoever has sent Stripe a wish looks afterwards whether it still is the last one, and otherwise compares
 * Stripe's subscription with the newer one and sends that. So the last word stands in the end, in whatever order requests
 * reach Stripe.
 *
 * @param onRefused done in the transaction that forgets a refused wish
 * @throws Stripe's errors when it cannot be reached; the wish stays, and its job is tried again
 */
export async function applyPlanChange(
  stripe: Stripe,
  { db, log, config }: Pick<App, "config" | "db" | "log">,
  subscriptionId: string,
  onRefused?: (tx: Queryable, change: PlanChange) => Promise<void>,
): Promise<Application> {
  let hasSentOlder = false;
  let change = await findChange(db, subscriptionId);
  for (let round = 0; change; round++) {
    if (round === MAX_ROUNDS) throw new Error(`subscription ${subscriptionId} does not come to rest`);
    if (change.appliedAt && !hasSentOlder) return "applied";
    const sent = change;
    const outcome = await sendPatiently(stripe, { db, log, config }, sent).catch(async (error: unknown) => {
      // Some of it may have reached Stripe, and after a newer wish did.
      await reopenNewerWish(db, sent);
      throw error;
    });
    await syncUser(stripe, db, config, sent.userId);
    const isLast = await (outcome === "refused"
      ? dropWish(db, sent, (tx) => onRefused?.(tx, sent) ?? Promise.resolve())
      : markApplied(db, sent));
    if (isLast) return outcome;
    hasSentOlder = true;
    change = await findChange(db, subscriptionId);
  }
  return "applied";
}

/**
 * Sends a wish until Stripe takes it. What it refuses at first it may take a moment later: another process was about to change
 * the same subscription. What was promised to be paid back is never given up.
 */
async function sendPatiently(
  stripe: Stripe,
  { db, log, config }: Pick<App, "config" | "db" | "log">,
  change: PlanChange,
): Promise<Application> {
  for (let refusals = 0; ; refusals++) {
    try {
      return await sendOnce(stripe, db, config, change, refusals);
    } catch (error) {
      if (!isRefusal(error) || isFinal(change)) throw error;
      if (refusals < MAX_REFUSALS) {
        await sleep(REFUSAL_MILLISECONDS * (1 + Math.random()));
        continue;
      }
      const { subscriptionId: subscription, kind } = change;
      log.error({ error, subscription, kind }, "Stripe refuses a plan change");
      return "refused";
    }
  }
}

/** Compares Stripe's subscription with a wish, and sends it where they differ. */
async function sendOnce(
  stripe: Stripe,
  db: Database,
  settings: SyncSettings,
  change: PlanChange,
  refusals: number,
): Promise<Application> {
  const subscription = await stripe.subscriptions.retrieve(change.subscriptionId, { expand: ["schedule"] });
  if (isFinal(change)) {
    await refundAndEnd(stripe, db, settings, change, subscription);
    return "applied";
  }
  if (isOver(subscription.status)) return change.kind === "cancel" ? "applied" : "refused";
  const target = change.priceId ? await findPrice(db, change.priceId) : null;
  if (change.kind === "change" && !target) return "refused";
  if (isAsWished(subscription, change, target)) return "applied";
  // Its state may be another than the one that was reviewed; a larger plan would then be had without a payment.
  if (change.kind === "change" && !isPaidFor(subscription)) return "refused";
  if (isChargedUnreviewed(subscription, change, target)) return "refused";
  await sendWish(stripe, subscription, change, target, refusals);
  return "applied";
}

async function findPrice(db: Database, id: string) {
  const [price] = await db.select().from(prices).where(eq(prices.id, id));
  return price ?? null;
}

function isPaidFor({ status, pause_collection }: Stripe.Subscription): boolean {
  return canBeChanged({ status, pauseBehavior: pause_collection?.behavior ?? null });
}

function isFinal({ kind }: PlanChange): boolean {
  return kind === "refund" || kind === "withdraw";
}

/** So that the pages show what was applied from the moment they no longer say that it is being applied. */
async function syncUser(stripe: Stripe, db: Database, settings: SyncSettings, userId: string): Promise<void> {
  const customer = await findCustomer(db, userId);
  if (customer) await syncCustomer(stripe, db, settings, customer);
}

/** Tells the customer of a wish that was refused after its page had said that it was saved. */
export async function mailRefusal(tx: Queryable, site: Site, { userId }: PlanChange): Promise<void> {
  const [owner] = await tx.select({ email: user.email }).from(user).where(eq(user.id, userId));
  if (owner) await enqueueMail(tx, site, changeRefusedMessage(owner.email, site));
}
