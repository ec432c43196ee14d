import { and, eq, sql } from "drizzle-orm";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { contactMessages } from "../../contact/schema.ts";
import type { App } from "../../http/context.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { formatMoney } from "../plans.ts";
import { planChanges } from "../schema.ts";
import type { BillingApp } from "../stripe.server.ts";
import { requestPlanChange } from "./apply-plan-change.server.ts";
import type { AccountHolder } from "./operator-decision.server.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import { currentTime, listPaidInvoices } from "./refund.server.ts";
import { countRefund } from "./refund-count.server.ts";
import { isOver, refundableNow } from "./rules.ts";

// What waits is one request, since its first message. An answered one was decided, unless the answer came just before the refund.
const requestedAt =
  sql<Date>`coalesce(min(${contactMessages.createdAt}) FILTER (WHERE ${contactMessages.answeredAt} IS NULL),
  max(${contactMessages.createdAt}))`.mapWith(contactMessages.createdAt);

/** What the promise gave on the day the user asked for it; `null`: nothing. `total` is in minor units. */
export async function readRefundByOperator(
  app: Pick<App, "db" | "config">,
  { id, email }: Pick<AccountHolder, "id" | "email">,
) {
  const plan = await readPlanOverview(app, id);
  if (!plan || isOver(plan.status)) return null;
  const { subscriptionId, name, price } = plan;
  const [question] = await app.db
    .select({ askedAt: requestedAt })
    .from(contactMessages)
    .where(
      and(
        sql`lower(${contactMessages.email}) = lower(${email})`,
        eq(contactMessages.topic, "payment"),
        sql`position(${`(${subscriptionId})`} IN ${contactMessages.message}) > 0`,
      ),
    );
  const askedAt = question?.askedAt ?? (await currentTime(app.db));
  const invoices = await listPaidInvoices(app.db, subscriptionId);
  const { total } = refundableNow(invoices, askedAt);
  if (total === 0) return null;
  return { subscriptionId, name, askedAt, total, amount: formatMoney(total, price.currency) };
}

/** Failures: 409 nothing to pay, or another amount; as `requestPlanChange`. */
export async function refundByOperator(
  app: BillingApp,
  actor: Actor,
  owner: Pick<AccountHolder, "id" | "email">,
  { total, reason }: { total: number | null; reason: string },
): Promise<"refunded" | Failure> {
  const refund = await readRefundByOperator(app, owner);
  if (!refund) return failure(409, "There is nothing to pay back. Nothing was changed.");
  if (total !== null && total !== refund.total)
    return failure(409, "Nothing was changed yet, because the amount has changed.");
  const asked = await requestPlanChange(app, owner.id, { kind: "refund" }, async (tx, { subscriptionId }) => {
    await tx
      .update(planChanges)
      .set({ requestedAt: refund.askedAt })
      .where(eq(planChanges.subscriptionId, subscriptionId));
    await countRefund(tx, app.config, owner.email, subscriptionId);
    await recordChange(tx, actor, {
      action: "user.refunded",
      subject: `user:${owner.id}`,
      after: { subscription: subscriptionId, total: refund.total },
      reason,
    });
  });
  return asked.ok ? "refunded" : asked;
}
