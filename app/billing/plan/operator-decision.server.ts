import { and, eq, inArray, max, sql } from "drizzle-orm";
import Stripe from "stripe";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { auditLog } from "../../audit/schema.ts";
import type { user } from "../../auth/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { findCustomer } from "../customer.server.ts";
import { readRecipient } from "../notices/recipient.server.ts";
import type { BillingApp } from "../stripe.server.ts";
import { syncCustomer } from "../sync/sync-customer.server.ts";
import { readPlanAndPayments } from "./plan-overview.server.ts";

export type AccountHolder = Pick<typeof user.$inferSelect, "id" | "email" | "timeZone">;

const AWAY = "Stripe couldn’t be reached. Nothing was changed. Try again in a moment.";
export const CHANGED_SINCE_PREVIEW =
  "Something changed meanwhile, so nothing was done. Look at the preview again.";
const NO_CUSTOMER = "They never opened a payment page, so there is nothing at Stripe to act on.";

const DECISIONS = ["user.plan_ended", "user.plan_changed", "user.credited", "user.refunded_again"] as const;

/** A form carries it, so that it acts once if it is sent twice, or by two operators. */
async function lastDecision(db: Queryable, userId: string): Promise<string> {
  const [last] = await db
    .select({ id: max(auditLog.id) })
    .from(auditLog)
    .where(and(eq(auditLog.subject, `user:${userId}`), inArray(auditLog.action, [...DECISIONS])));
  return String(last?.id ?? 0);
}

export class Refused extends Error {
  readonly failure: Failure;
  constructor(refusal: Failure) {
    super(refusal.message);
    this.failure = refusal;
  }
}

/** Checks, under a lock for the rest of the transaction, that nothing was decided since the preview; then records the decision. */
export async function recordDecision(
  tx: Queryable,
  actor: Actor,
  userId: string,
  { seen, reason }: Confirmed,
  { action, after }: { action: (typeof DECISIONS)[number]; after: object },
): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`money:${userId}`}, 0))`);
  if ((await lastDecision(tx, userId)) !== seen) throw new Refused(failure(409, CHANGED_SINCE_PREVIEW));
  await recordChange(tx, actor, { action, subject: `user:${userId}`, after, reason });
}

export interface Confirmed {
  seen: string;
  reason: string;
}

export async function catchRefusal<Done>(work: () => Promise<Done>): Promise<Done | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) return error.failure;
    if (error instanceof Stripe.errors.StripeError) return failure(503, AWAY);
    throw error;
  }
}

export async function readFresh(app: BillingApp, { id, email }: AccountHolder) {
  if (!app.payments.isOn) throw new Refused(failure(503, "Payments are off. Nothing was changed."));
  const customer = await findCustomer(app.db, id);
  if (!customer) throw new Refused(failure(409, NO_CUSTOMER));
  const seen = await lastDecision(app.db, id);
  await syncCustomer({ ...app, stripe: app.payments.stripe }, customer);
  const found = await readPlanAndPayments(app, id);
  return {
    stripe: app.payments.stripe,
    customer,
    seen,
    plan: found?.plan ?? null,
    card: found?.card ?? null,
    recipient: await readRecipient(app.db, app.config.site, { userId: id, email }, new Date()),
  };
}
