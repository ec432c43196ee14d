import { eq } from "drizzle-orm";
import Stripe from "stripe";
import type { Database } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { enqueue } from "../../outbox/outbox.server.ts";
import { SYNC_CUSTOMER } from "../job-kinds.server.ts";
import { customers, prices } from "../schema.ts";
import { isInvalidRequest } from "../stripe-errors.server.ts";
import { type SyncSettings, syncCustomer } from "../sync.server.ts";
import { refundAndEnd } from "./refund.server.ts";
import { isOver } from "./states.ts";
import { isAsWished, sendWish } from "./stripe-plan.server.ts";
import { dropWish, findChange, markApplied, type PlanChange } from "./wish.server.ts";

/** Each round answers a wish that came meanwhile; more of them than this is no person pressing buttons. */
const MAX_ROUNDS = 20;

/** - `applied`: Stripe has it; a payment it needs may still be open. - `refused`: Stripe will not do it; it is forgotten. */
export type Application = "applied" | "refused";

/**
 * Makes Stripe's subscription what its customer asked for last. Safe to run at any time, any number of times, by several
 * processes at once: whoever has sent Stripe a wish looks afterwards whether it still is the last one, and otherwise compares
 * Stripe's subscription with the newer one and sends that. So the last word stands in the end, in whatever order requests
 * reach Stripe. Ends with a sync, so that the pages show it.
 *
 * @throws Stripe's errors when it cannot be reached; the wish stays, and its job is tried again
 */
export async function applyPlanChange(
  stripe: Stripe,
  { db, log, config }: Pick<App, "config" | "db" | "log">,
  subscriptionId: string,
): Promise<Application> {
  let hasSentOlder = false;
  let outcome: Application = "applied";
  let change = await findChange(db, subscriptionId);
  for (let round = 0; change; round++) {
    if (round === MAX_ROUNDS) throw new Error(`subscription ${subscriptionId} does not come to rest`);
    if (change.appliedAt && !hasSentOlder) return outcome;
    outcome = await sendOnce(stripe, db, config, change)
      .catch(async (error: unknown) => {
        if (!isRefusal(error) || isFinal(change)) throw error;
        // Another process may have released the same schedule a moment ago: what Stripe has now may take it.
        return sendOnce(stripe, db, config, change as PlanChange);
      })
      .catch((error: unknown): Application => {
        if (!isRefusal(error) || isFinal(change)) throw error;
        log.error(
          { error, subscription: subscriptionId, kind: change?.kind },
          "Stripe refuses a plan change",
        );
        return "refused";
      });
    const isLast = await (outcome === "refused" ? dropWish : markApplied)(db, change);
    if (isLast) break;
    hasSentOlder = true;
    change = await findChange(db, subscriptionId);
  }
  if (change) await syncAfterwards(stripe, db, config, change.userId);
  return outcome;
}

/** Compares Stripe's subscription with a wish, and sends it where they differ. */
async function sendOnce(
  stripe: Stripe,
  db: Database,
  settings: SyncSettings,
  change: PlanChange,
): Promise<Application> {
  const subscription = await stripe.subscriptions.retrieve(change.subscriptionId, { expand: ["schedule"] });
  if (change.kind === "refund" || change.kind === "withdraw") {
    await refundAndEnd(stripe, db, settings, change, subscription);
    return "applied";
  }
  if (isOver(subscription.status)) return change.kind === "cancel" ? "applied" : "refused";
  const target = change.priceId ? await findPrice(db, change.priceId) : null;
  if (change.kind === "change" && !target) return "refused";
  if (!isAsWished(subscription, change, target)) await sendWish(stripe, subscription, change, target);
  return "applied";
}

async function findPrice(db: Database, id: string) {
  const [price] = await db.select().from(prices).where(eq(prices.id, id));
  return price ?? null;
}

/** Whether Stripe will answer the same every time; a declined card is such an answer, too. */
function isRefusal(error: unknown): boolean {
  return isInvalidRequest(error) || error instanceof Stripe.errors.StripeCardError;
}

function isFinal(change: PlanChange | null): boolean {
  return change?.kind === "refund" || change?.kind === "withdraw";
}

/** The wish has been applied, so a failure here must not have it tried again: a job asks later. */
async function syncAfterwards(
  stripe: Stripe,
  db: Database,
  settings: SyncSettings,
  userId: string,
): Promise<void> {
  const [customer] = await db.select().from(customers).where(eq(customers.userId, userId));
  if (!customer) return;
  const { stripeCustomerId } = customer;
  await syncCustomer(stripe, db, settings, stripeCustomerId).catch(() =>
    enqueue(db, SYNC_CUSTOMER, { stripeCustomerId }),
  );
}
