import { and, eq, sql } from "drizzle-orm";
import { user } from "../auth/schema.ts";
import { IS_UNCONFIRMED } from "../billing/confirm.server.ts";
import { type PlanOverview, type Situation, situationOf } from "../billing/plan/plan-overview.ts";
import { endsAtOnce } from "../billing/plan/rules.ts";
import { checkoutAttempts } from "../billing/schema.ts";
import type { CategoryInput } from "../categories/category-input.ts";
import { savedCategories } from "../categories/schema.ts";
import type { Queryable } from "../db/client.server.ts";
import { prepareOnce } from "../db/prepare.server.ts";
import type { UserSubscription } from "../entitlements/subscription.server.ts";

const findOnDashboard = prepareOnce((db) =>
  db
    .select({ sessionId: checkoutAttempts.sessionId, categories: savedCategories.categories })
    .from(user)
    .leftJoin(checkoutAttempts, and(eq(checkoutAttempts.userId, user.id), IS_UNCONFIRMED))
    .leftJoin(savedCategories, eq(savedCategories.userId, user.id))
    .where(eq(user.id, sql.placeholder("userId")))
    .prepare("on_dashboard"),
);

/** The unconfirmed payment and the categories, in one query. */
export async function readDashboard(
  db: Queryable,
  userId: string,
): Promise<{ unconfirmedSession: string | null; categories: CategoryInput[] }> {
  const [found] = await findOnDashboard(db).execute({ userId });
  return { unconfirmedSession: found?.sessionId ?? null, categories: found?.categories ?? [] };
}

interface PlanFacts {
  status?: string;
  endName?: string;
  end?: Date | string;
}

/** What is said of a paid plan in place of "Active" and the end of its access. Codes are active (spec §4). */
export function planFacts(subscription: UserSubscription | null, plan: PlanOverview | undefined): PlanFacts {
  if (!plan) return {};
  // Said beside trouble with a payment.
  if (subscription && subscription.source !== "paid")
    return plan.openPayment ? { status: "Active, free of charge" } : {};
  const { applying, accessUntil, pause } = plan;
  const situation = situationOf(plan);
  if (situation === "refunding") return { status: "Being refunded", ...ENDS_SOON };
  if (applying === "cancel")
    return { status: "Being canceled", endName: "Expires", ...(endsAtOnce(plan.status) && ENDS_SOON) };
  const status = STATUSES[situation];
  // Days are added only once the payment is settled.
  if (situation === "past_due" && accessUntil) return { status, end: accessUntil };
  if (situation === "paused" && pause?.until) return { status, endName: "Payments resume", end: pause.until };
  return { status, ...(situation === "trial" && { endName: "Trial ends" }) };
}

const ENDS_SOON = { endName: "Expires", end: "Once this is confirmed" };

const STATUSES: Partial<Record<Situation, string>> = {
  past_due: "Payment due",
  unpaid: "On hold",
  incomplete: "Payment due",
  ending: "Ending",
  paused: "Paused",
  trial: "Free trial",
};
