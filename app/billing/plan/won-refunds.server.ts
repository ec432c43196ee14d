import { and, eq, exists, inArray, isNotNull, lt } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { enqueue } from "../../outbox/outbox.server.ts";
import { APPLY_PLAN_CHANGE } from "../job-kinds.server.ts";
import { HARMLESS_DISPUTES, OPEN_DISPUTES } from "../refund-rule.ts";
import { stripeInvoices } from "../schema.ts";
import { planChanges } from "./schema.ts";

/** Wishes that nothing may follow: money is on its way back. */
export const FINAL: (typeof planChanges.$inferSelect)["kind"][] = ["refund", "withdraw"];

/**
 * Opens again the refunds and withdrawals of a user of which money is left that no bank decides about any more: the dispute was
 * won, so that what they were promised is still to be paid. Their jobs pay it. A dispute that was lost has paid it.
 */
export async function reopenWonRefunds(tx: Queryable, userId: string): Promise<void> {
  const reopened = await tx
    .update(planChanges)
    .set({ appliedAt: null })
    .where(
      and(
        eq(planChanges.userId, userId),
        inArray(planChanges.kind, FINAL),
        isNotNull(planChanges.appliedAt),
        exists(
          tx
            .select({ id: stripeInvoices.id })
            .from(stripeInvoices)
            .where(
              and(
                eq(stripeInvoices.subscriptionId, planChanges.subscriptionId),
                eq(stripeInvoices.status, "paid"),
                inArray(stripeInvoices.disputeStatus, HARMLESS_DISPUTES),
                lt(stripeInvoices.amountRefunded, stripeInvoices.amountPaid),
              ),
            ),
        ),
      ),
    )
    .returning({ subscriptionId: planChanges.subscriptionId });
  for (const job of reopened) await enqueue(tx, APPLY_PLAN_CHANGE, job);
}

/** The payments that a user is to get back if their dispute is won. */
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
