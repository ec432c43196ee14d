import { and, eq, gt, inArray, isNull, ne, notInArray, sql } from "drizzle-orm";
import type { Database, Queryable } from "../../db/client.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { enqueue } from "../../outbox/outbox.server.ts";
import { outbox } from "../../outbox/schema.ts";
import { APPLY_PLAN_CHANGE, MAIL_PLAN_CHANGE, planChangeKey } from "../job-kinds.server.ts";
import { mostUsefulFirst, openSubscriptionOf } from "../open-subscription.server.ts";
import { planChanges, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { HARMLESS_DISPUTES, OPEN_DISPUTES } from "./rules.ts";

export type PlanChange = typeof planChanges.$inferSelect;

/** No other request may follow, because money is on its way back. */
const FINAL: PlanChange["kind"][] = ["refund", "withdraw"];

export function isFinal({ kind }: PlanChange): boolean {
  return FINAL.includes(kind);
}

/** `resume`: keep the current plan, with no end and no scheduled change. */
export type PlanChangeRequest =
  | { kind: "cancel"; reason: string | null; comment: string | null; atOnce?: boolean }
  | { kind: "change"; priceId: string; prorationDate: Date | null }
  | { kind: "resume" | "refund" | "withdraw" };

/** When the job applies a request whose process died. */
export const JOB_DELAY_SECONDS = 20;

const NO_PLAN = "You have no paid plan to change. Nothing was changed.";
const BEING_REFUNDED = "This plan is being refunded and ends with that. Nothing else was changed.";

/** Records a change of the open subscription, and a job to apply it. Failures: 409 none is open, or it is being refunded. */
export function recordRequest(
  db: Database,
  userId: string,
  request: PlanChangeRequest,
  alsoWrite?: (tx: Queryable, change: PlanChange) => Promise<void>,
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
      priceId: null,
      prorationDate: null,
      reason: null,
      comment: null,
      atOnce: false,
      ...request,
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
    await alsoWrite?.(tx, change);
    const job = { subscriptionId: open.id };
    await enqueue(tx, APPLY_PLAN_CHANGE, job, { delaySeconds: JOB_DELAY_SECONDS });
    return { ok: true, change };
  });
}

/** Unless there is a newer request. A refused one is discarded. Removes its jobs. @returns whether it was the last */
export function settleRequest(
  db: Database,
  change: PlanChange,
  outcome: "applied" | "refused",
  onRefused?: (tx: Queryable) => Promise<void>,
): Promise<boolean> {
  const { subscriptionId, number } = change;
  const jobs = [APPLY_PLAN_CHANGE.name, ...(outcome === "refused" ? [MAIL_PLAN_CHANGE.name] : [])];
  return db.transaction(async (tx) => {
    const isThisOne = and(eq(planChanges.subscriptionId, subscriptionId), eq(planChanges.number, number));
    const settling =
      outcome === "applied"
        ? tx
            .update(planChanges)
            .set({ appliedAt: sql`coalesce(${planChanges.appliedAt}, now())`, comment: null })
            .where(isThisOne)
        : tx.delete(planChanges).where(isThisOne);
    const { rowCount } = await settling;
    if (!rowCount) return false;
    if (outcome === "refused") await onRefused?.(tx);
    // A newer request locks its row before it enqueues, so its job is never the one removed.
    await tx
      .delete(outbox)
      .where(
        and(
          inArray(outbox.kind, jobs),
          inArray(outbox.dedupeKey, [subscriptionId, planChangeKey(change)]),
          isNull(outbox.doneAt),
          isNull(outbox.claimedAt),
        ),
      );
    return true;
  });
}

/** Makes the job of a newer request compare it with Stripe again. */
export function reopenNewerRequest(db: Database, { subscriptionId, number }: PlanChange): Promise<void> {
  return db.transaction(async (tx) => {
    const reopened = await tx
      .update(planChanges)
      .set({ appliedAt: null })
      .where(and(eq(planChanges.subscriptionId, subscriptionId), ne(planChanges.number, number)))
      .returning({ number: planChanges.number });
    if (reopened.length > 0) await enqueue(tx, APPLY_PLAN_CHANGE, { subscriptionId });
  });
}

export async function findChange(db: Queryable, subscriptionId: string): Promise<PlanChange | null> {
  const [change] = await db.select().from(planChanges).where(eq(planChanges.subscriptionId, subscriptionId));
  return change ?? null;
}

export function listOwedRefunds(db: Queryable, userId: string): Promise<PlanChange[]> {
  return db
    .select()
    .from(planChanges)
    .where(
      and(eq(planChanges.userId, userId), inArray(planChanges.kind, FINAL), isNull(planChanges.appliedAt)),
    );
}

/** After a won dispute the refund is still owed; a lost one has given the money back already. */
export async function reopenWonRefunds(tx: Queryable, userId: string): Promise<void> {
  const { rows } = await tx.execute<{ subscriptionId: string }>(sql`
    UPDATE plan_changes SET applied_at = NULL
    WHERE user_id = ${userId} AND kind IN ${FINAL} AND applied_at IS NOT NULL AND EXISTS (
      SELECT FROM stripe_invoices
      WHERE stripe_invoices.subscription_id = plan_changes.subscription_id AND status = 'paid'
        AND dispute_status IN ${HARMLESS_DISPUTES} AND amount_refunded < amount_paid
    )
    RETURNING subscription_id AS "subscriptionId"`);
  for (const job of rows) await enqueue(tx, APPLY_PLAN_CHANGE, job);
}

export async function listDisputedRefunds(db: Queryable, userId: string): Promise<string[]> {
  const found = await db
    .select({ payment: stripeInvoices.paymentIntentId })
    .from(stripeInvoices)
    .innerJoin(planChanges, eq(planChanges.subscriptionId, stripeInvoices.subscriptionId))
    .where(
      and(
        eq(stripeInvoices.userId, userId),
        inArray(planChanges.kind, FINAL),
        inArray(stripeInvoices.disputeStatus, OPEN_DISPUTES),
      ),
    );
  return found.flatMap(({ payment }) => payment ?? []);
}

export async function listReturnedRefunds(db: Queryable, userId: string): Promise<string[]> {
  const found = await db
    .select({ payment: stripeInvoices.paymentIntentId })
    .from(stripeInvoices)
    .where(and(eq(stripeInvoices.userId, userId), gt(stripeInvoices.refundFailed, 0)));
  return found.flatMap(({ payment }) => payment ?? []);
}
