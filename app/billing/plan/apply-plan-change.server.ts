import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { user } from "../../auth/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { withinTime } from "../../http/time-limit.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Site } from "../../ui/site.ts";
import { BILLING_LIMITS } from "../limits.ts";
import { changeRefusedMessage } from "../notices/plan-messages.ts";
import { prices } from "../schema.ts";
import { type BillingApp, isRefusal, type StripeApp } from "../stripe.server.ts";
import { syncUser } from "../sync/sync-customer.server.ts";
import {
  findChange,
  isFinal,
  type PlanChange,
  type PlanChangeRequest,
  recordRequest,
  reopenNewerRequest,
  settleRequest,
} from "./plan-change-request.server.ts";
import { refundAndEnd } from "./refund.server.ts";
import { canBeChanged, isOver } from "./rules.ts";
import { isChargedUnreviewed, matchesRequest, sendChange } from "./stripe-plan.server.ts";

const RESPONSE_MILLISECONDS = 8_000;

const PAYMENTS_OFF = "Payments aren’t set up on this site yet.";
const REFUSED = "Our payment provider didn’t accept this, so nothing was changed.";

/**
 * Applies a request as far as Stripe answers in time; a job does the rest, and a later refusal is mailed. Failures: 409 no open
 * subscription, being refunded, or refused by Stripe; 429 too often; 503 payments are off.
 */
export async function requestPlanChange(
  app: BillingApp,
  userId: string,
  request: PlanChangeRequest,
  alsoWrite?: (tx: Queryable, change: PlanChange) => Promise<void>,
): Promise<{ ok: true } | Failure> {
  const { payments, db, log } = app;
  if (!payments.isOn) return failure(503, PAYMENTS_OFF);
  return withLimit(app, BILLING_LIMITS.planChangesByUser, userId, async () => {
    const recorded = await recordRequest(db, userId, request, alsoWrite);
    if (!recorded.ok) return recorded;
    const { subscriptionId } = recorded.change;
    let hasAnswered = false;
    let isRefused = false;
    const applying = applyPlanChange({ ...app, stripe: payments.stripe }, subscriptionId, () => {
      isRefused = true;
      return !hasAnswered;
    }).catch((error: unknown) => {
      isRefused = false;
      log.warn({ error, subscription: subscriptionId }, "a plan change waits for Stripe");
    });
    await withinTime(RESPONSE_MILLISECONDS, applying);
    hasAnswered = true;
    return isRefused ? failure(409, REFUSED) : { ok: true };
  });
}

/** Each round applies a request that arrived during the one before. */
const MAX_ROUNDS = 20;
/** After this many refusals a request is discarded. */
const MAX_REFUSALS = 4;
/** Between two tries, at least. */
const REFUSAL_MILLISECONDS = 100;

/** `applied`: a payment it needs may still be open. `refused`: the request is discarded. */
export type Application = "applied" | "refused";

/**
 * Makes Stripe's subscription match the last request. Safe to repeat and to run concurrently: it then applies any newer request.
 * @param tellsRefusal whether the caller tells the customer of a refusal, which is mailed otherwise
 * @throws Stripe's errors; the request stays, and its job retries
 */
export async function applyPlanChange(
  app: StripeApp & Pick<App, "log">,
  subscriptionId: string,
  tellsRefusal = () => false,
): Promise<Application> {
  const { db } = app;
  let hasSentOlder = false;
  let change = await findChange(db, subscriptionId);
  for (let round = 0; change; round++) {
    if (round === MAX_ROUNDS) throw new Error(`subscription ${subscriptionId} does not come to rest`);
    if (change.appliedAt && !hasSentOlder) return "applied";
    const sent = change;
    const outcome = await applyWithRetries(app, sent).catch(async (error: unknown) => {
      // Some of it may have reached Stripe after a newer request did.
      await reopenNewerRequest(db, sent);
      throw error;
    });
    // First, so that the pages show the change once they stop saying that it is being applied.
    await syncUser(app, sent.userId);
    const isLast = await settleRequest(db, sent, outcome, async (tx) => {
      if (!tellsRefusal()) await mailRefusal(tx, app.config.site, sent);
    });
    if (isLast) return outcome;
    hasSentOlder = true;
    change = await findChange(db, subscriptionId);
  }
  return "applied";
}

/** Stripe may refuse while another process changes the subscription. A refund is never given up. */
async function applyWithRetries(app: StripeApp & Pick<App, "log">, change: PlanChange): Promise<Application> {
  for (let refusals = 0; ; refusals++) {
    try {
      return await applyOnce(app, change, refusals);
    } catch (error) {
      if (!isRefusal(error) || isFinal(change)) throw error;
      if (refusals < MAX_REFUSALS) {
        await sleep(REFUSAL_MILLISECONDS * (1 + Math.random()));
        continue;
      }
      const { subscriptionId: subscription, kind } = change;
      app.log.error({ error, subscription, kind }, "Stripe refuses a plan change");
      return "refused";
    }
  }
}

async function applyOnce(app: StripeApp, change: PlanChange, refusals: number): Promise<Application> {
  const { stripe, db } = app;
  const subscription = await stripe.subscriptions.retrieve(change.subscriptionId, { expand: ["schedule"] });
  if (isFinal(change)) {
    await refundAndEnd(app, change, subscription);
    return "applied";
  }
  if (isOver(subscription.status)) return change.kind === "cancel" ? "applied" : "refused";
  const [target = null] = change.priceId
    ? await db.select().from(prices).where(eq(prices.id, change.priceId))
    : [];
  if (change.kind === "change" && !target) return "refused";
  if (matchesRequest(subscription, change, target)) return "applied";
  // Its state may have changed since the review: no larger plan without paying.
  const { status, pause_collection: pause } = subscription;
  if (change.kind === "change" && !canBeChanged(status, pause !== null)) return "refused";
  if (isChargedUnreviewed(subscription, change, target)) return "refused";
  await sendChange(stripe, subscription, change, target, refusals);
  return "applied";
}

async function mailRefusal(tx: Queryable, site: Site, { userId }: PlanChange): Promise<void> {
  const [owner] = await tx.select({ email: user.email }).from(user).where(eq(user.id, userId));
  if (owner) await enqueueMail(tx, site, changeRefusedMessage(owner.email, site));
}
