import { eq, sql } from "drizzle-orm";
import Stripe from "stripe";
import { user } from "../auth/schema.ts";
import type { Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { isMissing, stripeIdOf } from "./stripe.server.ts";

const STRIPE_ID = /^(cus|sub|in|pi|cs|ch|re|evt)_\w{1,250}$/;

export interface StripeOwner {
  userId: string;
  unknownCustomer?: string;
}

export function isStripeId(text: string): boolean {
  return STRIPE_ID.test(text);
}

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

/** Asks Stripe. @returns `null`: not at Stripe, or not one of our users; `away`: Stripe cannot be asked */
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
  switch (id.slice(0, id.indexOf("_"))) {
    case "cus":
      return id;
    case "sub":
      return stripeIdOf((await stripe.subscriptions.retrieve(id)).customer);
    case "in":
      return stripeIdOf((await stripe.invoices.retrieve(id)).customer);
    case "pi":
      return stripeIdOf((await stripe.paymentIntents.retrieve(id)).customer);
    case "cs":
      return stripeIdOf((await stripe.checkout.sessions.retrieve(id)).customer);
    case "ch":
      return stripeIdOf((await stripe.charges.retrieve(id)).customer);
    case "re": {
      const payment = stripeIdOf((await stripe.refunds.retrieve(id)).payment_intent);
      return payment && customerOf(stripe, payment);
    }
    default: {
      const { object } = (await stripe.events.retrieve(id)).data as {
        object: Pick<Stripe.Charge, "customer">;
      };
      return stripeIdOf(object.customer);
    }
  }
}
