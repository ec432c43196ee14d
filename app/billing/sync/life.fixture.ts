import type { Pool } from "pg";
import { afterAll, expect } from "vitest";
import { createSignedInUser } from "../../../test/users.ts";
import { findViolations } from "../../db/invariants.server.ts";
import { currentSubscription } from "../../entitlements/subscription.server.ts";
import { config, setupBilling } from "../billing.fixture.ts";
import { syncCustomer } from "./sync-customer.server.ts";

export const DAY_SECONDS = 24 * 60 * 60;

/** A mail in the outbox. */
interface QueuedMail {
  subject: string;
  text: string;
  action?: { url: string };
}

type Life = ReturnType<typeof setupLife>;

/** A Stripe sandbox and a database for the tests of a file. Checks at the end that the data are sound. */
export function setupLife() {
  const { billing, appWith } = setupBilling();
  afterAll(async () => expect(await findViolations(billing.database.pool)).toEqual([]));
  return Object.assign(billing, { appWith });
}

interface Start {
  price?: string;
  card?: string;
  trialDays?: number;
  /** When the subscription begins, in days from now. */
  startDay?: number;
}

/** A user with a subscription, on their own test clock. */
export async function subscribe(
  { database, stripe }: Life,
  { price = "price_csv_banking_monthly", card = "pm_card_visa", trialDays, startDay = 0 }: Start = {},
) {
  const { id: userId } = await createSignedInUser(database.pool);
  let time = Math.floor(Date.now() / 1000) + startDay * DAY_SECONDS;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: time });
  const { id: customer } = await stripe.customers.create({ test_clock: clock.id });
  await database.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $2)", [
    userId,
    customer,
  ]);
  const payWith = async (alias: string) => {
    const { id } = await stripe.paymentMethods.attach(alias, { customer });
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
    return id;
  };
  await payWith(card);
  const { id } = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    ...(trialDays && { trial_period_days: trialDays }),
  });
  const person = {
    userId,
    customer,
    id,
    payWith,
    sync: () => syncCustomer({ stripe, db: database.db, config }, customer),
    /** Advances the test clock and syncs. */
    async pass(days: number) {
      time += days * DAY_SECONDS;
      await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: time });
      await person.sync();
    },
    subscription: async () => (await rows(database.pool, "stripe_subscriptions", userId))[0],
    invoices: () => rows(database.pool, "stripe_invoices", userId),
    current: () => currentSubscription(database.db, userId),
    async mails(): Promise<QueuedMail[]> {
      const { rows } = await database.pool.query(
        `SELECT payload FROM outbox WHERE kind = 'send_mail'
           AND payload ->> 'to' = (SELECT email FROM "user" WHERE id = $1) ORDER BY id`,
        [userId],
      );
      return rows.map(({ payload }) => ({ ...payload, text: payload.text.replaceAll(/\s+/g, " ") }));
    },
    subjects: async () => (await person.mails()).map(({ subject }) => subject),
  };
  await person.sync();
  return person;
}

async function rows(pool: Pool, table: "stripe_subscriptions" | "stripe_invoices", userId: string) {
  const order = table === "stripe_invoices" ? "created_at" : "started_at";
  return (await pool.query(`SELECT * FROM ${table} WHERE user_id = $1 ORDER BY ${order}`, [userId])).rows;
}
