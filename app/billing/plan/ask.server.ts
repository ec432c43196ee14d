import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { BILLING_LIMITS } from "../limits.ts";
import { applyPlanChange } from "./apply-plan-change.server.ts";
import { type PlanChange, recordWish, type Wish } from "./wish.server.ts";

/** How long a page waits for Stripe before it renders without an answer, in milliseconds. */
const RESPONSE_MILLISECONDS = 8_000;

const PAYMENTS_OFF = "Payments aren’t set up on this site yet.";
const REFUSED = "Our payment provider didn’t accept this, so nothing was changed.";

export type PlanParts = Pick<App, "config" | "db" | "payments" | "log">;

/**
 * Does what a user wants of their own plan, as far as Stripe answers in time: what it has not taken then is applied by a job,
 * and the dashboard says so until it is.
 *
 * Failures: 409 without an open subscription, after its refund was asked for, or when Stripe refuses; 429 too often; 503
 * payments are off.
 *
 * @param also written in the transaction that records it
 */
export async function askForPlan(
  app: PlanParts,
  userId: string,
  wish: Wish,
  also?: (tx: Queryable, change: PlanChange) => Promise<void>,
): Promise<{ ok: true } | Failure> {
  const { payments, db, log } = app;
  if (!payments.isOn) return failure(503, PAYMENTS_OFF);
  return withLimit(app, BILLING_LIMITS.planChangesByUser, userId, async () => {
    const recorded = await recordWish(db, userId, wish, also);
    if (!recorded.ok) return recorded;
    const { subscriptionId } = recorded.change;
    const applying = applyPlanChange(payments.stripe, app, subscriptionId).catch((error: unknown) => {
      log.warn({ error, subscription: subscriptionId }, "a plan change waits for Stripe");
      return "waiting" as const;
    });
    const outcome = await Promise.race([applying, sleep(RESPONSE_MILLISECONDS, "waiting" as const)]);
    return outcome === "refused" ? failure(409, REFUSED) : { ok: true };
  });
}

/** The fields of a form that has these and no others: what a customer may not choose is refused, not passed over. */
export function readFields<Shape extends z.ZodRawShape>(form: FormData, shape: Shape) {
  const parsed = z.strictObject(shape).safeParse(Object.fromEntries(form));
  return parsed.success ? parsed.data : null;
}
