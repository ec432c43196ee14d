import { and, eq, inArray, isNull, ne, notInArray, sql } from "drizzle-orm";
import type { Database, Queryable } from "../../db/client.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { enqueue } from "../../outbox/outbox.server.ts";
import { outbox } from "../../outbox/schema.ts";
import { APPLY_PLAN_CHANGE } from "../job-kinds.server.ts";
import { stripeSubscriptions } from "../schema.ts";
import { mostUsefulFirst, openSubscriptionOf } from "../sync.server.ts";
import { planChanges } from "./schema.ts";
import { FINAL } from "./won-refunds.server.ts";

export type PlanChange = typeof planChanges.$inferSelect;

/** What a customer asks for. `resume`: the plan as it is now, with no end and no change ahead. */
export type Wish =
  | { kind: "cancel"; reason: string | null; comment: string | null }
  | { kind: "change"; priceId: string; prorationDate: Date | null }
  | { kind: "resume" | "refund" | "withdraw" };

/** The request that records a wish applies it, too; should it die before, a job does so this much later. */
const JOB_DELAY_SECONDS = 20;

const NO_PLAN = "You have no paid plan to change. Nothing was changed.";
const BEING_REFUNDED = "This plan is being refunded and ends with that. Nothing else was changed.";

/**
 * Records what the user wants of their own open subscription; it is the last word until they ask for something else. A job of
 * the same transaction applies it, should the caller not get to it.
 *
 * Failures: 409 without an open subscription, or when its refund was asked for already.
 *
 * @param also written in the same transaction
 */
export function recordWish(
  db: Database,
  userId: string,
  wish: Wish,
  also?: (tx: Queryable, change: PlanChange) => Promise<void>,
): Promise<{ ok: true; change: PlanChange } | Failure> {
  return db.transaction(async (tx) => {
    const [open] = await tx
      .select({ id: stripeSubscriptions.id })
      .from(stripeSubscriptions)
      .where(openSubscriptionOf(userId))
      .orderBy(mostUsefulFirst)
      .for("update");
    if (!open) return failure(409, NO_PLAN);
    const row = {
      kind: wish.kind,
      priceId: wish.kind === "change" ? wish.priceId : null,
      prorationDate: wish.kind === "change" ? wish.prorationDate : null,
      reason: wish.kind === "cancel" ? wish.reason : null,
      comment: wish.kind === "cancel" ? wish.comment : null,
    };
    const [change] = await tx
      .insert(planChanges)
      .values({ subscriptionId: open.id, userId, ...row })
      .onConflictDoUpdate({
        target: planChanges.subscriptionId,
        set: { ...row, number: sql`${planChanges.number} + 1`, requestedAt: sql`now()`, appliedAt: null },
        setWhere: notInArray(planChanges.kind, FINAL),
      })
      .returning();
    if (!change) return failure(409, BEING_REFUNDED);
    await also?.(tx, change);
    const job = { subscriptionId: open.id };
    await enqueue(tx, APPLY_PLAN_CHANGE, job, undefined, JOB_DELAY_SECONDS);
    return { ok: true, change };
  });
}

/**
 * Notes that a wish is what Stripe has, unless there is a newer one, and takes back the job that would see to it. The words of
 * whoever cancelled are at Stripe by then, and kept there only.
 *
 * @returns whether it still is the last word
 */
export function markApplied(db: Database, { subscriptionId, number }: PlanChange): Promise<boolean> {
  return endWish(db, subscriptionId, (tx) =>
    tx
      .update(planChanges)
      .set({ appliedAt: sql`coalesce(${planChanges.appliedAt}, now())`, comment: null })
      .where(and(eq(planChanges.subscriptionId, subscriptionId), eq(planChanges.number, number)))
      .returning({ number: planChanges.number }),
  );
}

/**
 * Forgets a wish that Stripe refuses, unless there is a newer one.
 *
 * @param also done in the same transaction when it was the last word
 * @returns whether it was
 */
export function dropWish(
  db: Database,
  { subscriptionId, number }: PlanChange,
  also?: (tx: Queryable) => Promise<void>,
): Promise<boolean> {
  return endWish(db, subscriptionId, async (tx) => {
    const dropped = await tx
      .delete(planChanges)
      .where(and(eq(planChanges.subscriptionId, subscriptionId), eq(planChanges.number, number)))
      .returning({ number: planChanges.number });
    if (dropped.length > 0) await also?.(tx);
    return dropped;
  });
}

/** Has a newer wish than this one compared with Stripe again, by its job. */
export function reopenNewerWish(db: Database, { subscriptionId, number }: PlanChange): Promise<void> {
  return db.transaction(async (tx) => {
    const reopened = await tx
      .update(planChanges)
      .set({ appliedAt: null })
      .where(and(eq(planChanges.subscriptionId, subscriptionId), ne(planChanges.number, number)))
      .returning({ number: planChanges.number });
    if (reopened.length > 0) await enqueue(tx, APPLY_PLAN_CHANGE, { subscriptionId });
  });
}

function endWish(
  db: Database,
  subscriptionId: string,
  end: (tx: Queryable) => Promise<{ number: number }[]>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const ended = await end(tx);
    // A newer wish locks its row before it enqueues, as this does: its job is never the one that is taken back.
    if (ended.length > 0)
      await tx
        .delete(outbox)
        .where(
          and(
            eq(outbox.kind, APPLY_PLAN_CHANGE.name),
            eq(outbox.dedupeKey, subscriptionId),
            isNull(outbox.doneAt),
            isNull(outbox.claimedAt),
          ),
        );
    return ended.length > 0;
  });
}

/** The last word about a subscription; `null`: nobody has asked for anything. */
export async function findChange(db: Queryable, subscriptionId: string): Promise<PlanChange | null> {
  const [change] = await db.select().from(planChanges).where(eq(planChanges.subscriptionId, subscriptionId));
  return change ?? null;
}

/** The refunds a user has asked for that are not paid yet. */
export function listOwedRefunds(db: Queryable, userId: string): Promise<PlanChange[]> {
  return db
    .select()
    .from(planChanges)
    .where(
      and(eq(planChanges.userId, userId), inArray(planChanges.kind, FINAL), isNull(planChanges.appliedAt)),
    );
}
