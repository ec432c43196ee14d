import { pino } from "pino";
import type Stripe from "stripe";
import { openDatabase } from "../../../test/database.ts";
import { openCheckout, press, startTestSandbox } from "../../../test/stripe.ts";
import { createSignedInUsers } from "../../../test/users.ts";
import { readConfig } from "../../config/config.server.ts";
import { syncCatalogue } from "../catalogue.server.ts";
import { customers } from "../schema.ts";
import { syncCustomer } from "../sync/sync-customer.server.ts";
import type { PlanParts } from "./apply-plan-change.server.ts";

/** A database and a payments sandbox, and users who have paid. */
export async function openPlans() {
  const [database, sandbox] = await Promise.all([openDatabase(), startTestSandbox()]);
  const { stripe } = sandbox;
  const config = readConfig({ AUTH_SECRET: "x".repeat(32) });
  await syncCatalogue(stripe, database.db);

  function appWith(client: Stripe = stripe): PlanParts {
    return {
      config,
      db: database.db,
      payments: { isOn: true, stripe: client, webhookSecret: "unused", checkoutOrigins: [] },
      log: pino({ level: "silent" }),
    };
  }

  /** Somebody who has just paid for a price, and of whose payment this site knows. */
  async function openCustomer(price = "price_csv_banking_yearly") {
    const [user] = await createSignedInUsers(database.pool, 1);
    const userId = user?.id ?? "";
    const checkout = await openCheckout(stripe, price);
    await press(checkout.url, "pay");
    await database.db.insert(customers).values({ userId, stripeCustomerId: checkout.customer });
    const sync = async () => {
      await syncCustomer(stripe, database.db, config, checkout.customer);
    };
    await sync();
    const { data } = await stripe.subscriptions.list({ customer: checkout.customer, status: "all" });
    return { userId, customer: checkout.customer, subscription: data[0]?.id ?? "", sync };
  }

  const close = () => Promise.all([database.close(), sandbox.close()]);

  return { database, sandbox, stripe, config, appWith, openCustomer, close };
}
