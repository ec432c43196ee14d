import { eq, sql } from "drizzle-orm";
import Stripe from "stripe";
import { user } from "../auth/schema.ts";
import type { Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { isMissing } from "./stripe.server.ts";

const STRIPE_ID = /^(cus|sub|in|pi|cs|ch|re|evt)_\w{1,250}$/;

type Kind = "cus" | "sub" | "in" | "pi" | "cs" | "ch" | "re" | "evt";

/** Whose something at Stripe is. */
export interface StripeOwner {
  userId: string;
  /** The customer at Stripe, where they are not stored here as the user's: for `syncPerson`. */
  unknownCustomer?: string;
}

export function isStripeId(text: string): boolean {
  return STRIPE_ID.test(text);
}

/** The user that something at Stripe belongs to, as far as it is stored here. */
export async function findByStripeId(db: Queryable, id: string): Promise<StripeOwner | null> {
  const { rows } = await db.execute<{ user_id: string }>(sql`
    SELECT user_id FROM customers WHERE stripe_customer_id = ${id}
    UNION ALL SELECT user_id FROM stripe_subscriptions WHERE id = ${id}
    UNION ALL SELECT user_id FROM stripe_invoices WHERE id = ${id}
    UNION ALL SELECT user_id FROM stripe_invoices WHERE payment_intent_id = ${id}
    UNION ALL SELECT user_id FROM checkout_attempts WHERE session_id = ${id}
    UNION ALL SELECT user_id FROM stripe_events JOIN customers ON stripe_customer_id = customer_id
      WHERE stripe_events.id = ${id}
    LIMIT 1`);
  return rows[0] ? { userId: rows[0].user_id } : null;
}

/**
 * The same by asking Stripe, for a payment that has never been heard of here: its customer is known, or carries the number of
 * one of our users.
 *
 * @returns `null` when it is nobody's here or not at Stripe; `away` when Stripe cannot be asked
 */
export async function askWhoseItIs(
  { db, payments, log }: Pick<App, "db" | "payments" | "log">,
  id: string,
): Promise<StripeOwner | null | "away"> {
  if (!payments.isOn) return "away";
  try {
    const customer = await customerOf(payments.stripe, id);
    if (!customer) return null;
    const known = await findByStripeId(db, customer);
    if (known) return known;
    const record = await payments.stripe.customers.retrieve(customer);
    const userId = record.deleted ? undefined : record.metadata.user_id;
    if (!userId) return null;
    const [ours] = await db.select({ id: user.id }).from(user).where(eq(user.id, userId));
    return ours ? { userId: ours.id, unknownCustomer: customer } : null;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (isMissing(error)) return null;
    log.warn({ error }, "an operator’s search could not ask Stripe");
    return "away";
  }
}

async function customerOf(stripe: Stripe, id: string): Promise<string | null> {
  const kind = kindOf(id);
  if (kind === "cus") return id;
  if (kind === "re") {
    const { payment_intent: payment } = await stripe.refunds.retrieve(id);
    const paymentId = typeof payment === "string" ? payment : payment?.id;
    return paymentId ? customerOf(stripe, paymentId) : null;
  }
  if (kind === "evt") {
    const { object } = (await stripe.events.retrieve(id)).data;
    return "customer" in object ? idOf(object.customer) : null;
  }
  const { customer } = await {
    sub: () => stripe.subscriptions.retrieve(id),
    in: () => stripe.invoices.retrieve(id),
    pi: () => stripe.paymentIntents.retrieve(id),
    cs: () => stripe.checkout.sessions.retrieve(id),
    ch: () => stripe.charges.retrieve(id),
  }[kind]();
  return idOf(customer);
}

function idOf(reference: unknown): string | null {
  if (typeof reference === "string") return reference;
  return reference && typeof reference === "object" && "id" in reference ? String(reference.id) : null;
}

function kindOf(id: string): Kind {
  return id.slice(0, id.indexOf("_")) as Kind;
}
