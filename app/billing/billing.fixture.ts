import { openCheckout, press, setKnobs } from "@ownwords/sandbox/testing";
import { pino } from "pino";
import type Stripe from "stripe";
import { afterAll, beforeAll } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { startTestSandbox } from "../../test/stripe.ts";
import { createSignedInUser } from "../../test/users.ts";
import { readConfig } from "../config/config.server.ts";
import { syncCatalogue } from "./catalogue.server.ts";
import { customers } from "./schema.ts";
import { syncCustomer } from "./sync/sync-customer.server.ts";

export const config = readConfig({ AUTH_SECRET: "x".repeat(32) });

interface Billing {
  database: Awaited<ReturnType<typeof openDatabase>>;
  sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
  stripe: Stripe;
}

/** A database with the catalog of Stripe's sandbox, for the tests of a file. @returns an object filled before the tests */
export function setupBilling() {
  const billing = {} as Billing;

  beforeAll(async () => {
    const [database, sandbox] = await Promise.all([openDatabase(), startTestSandbox()]);
    Object.assign(billing, { database, sandbox, stripe: sandbox.stripe });
    await syncCatalogue(sandbox.stripe, database.db);
  });

  afterAll(() => Promise.all([billing.database.close(), billing.sandbox.close()]));

  /** The app for a call. */
  function appWith({ stripe = billing.stripe, db = billing.database.db } = {}) {
    const payments = { isOn: true as const, stripe, webhookSecret: "unused", checkoutOrigins: [] };
    return { config, db, stripe, payments, log: pino({ level: "silent" }) };
  }

  /** A user who has just paid for a price, of whose payment this site has not heard. */
  async function createBuyer(price = "price_csv_banking_yearly") {
    const { stripe, database } = billing;
    const { id: userId } = await createSignedInUser(database.pool);
    const { url, customer } = await openCheckout(stripe, price);
    await press(url, "pay");
    await database.db.insert(customers).values({ userId, stripeCustomerId: customer });
    const { data } = await stripe.subscriptions.list({ customer, status: "all" });
    const sync = (client = stripe) => syncCustomer({ stripe: client, db: database.db, config }, customer);
    return { userId, customer, subscription: data[0]?.id ?? "", sync };
  }

  /** The same, synced to this site. */
  async function openCustomer(price?: string) {
    const buyer = await createBuyer(price);
    await buyer.sync();
    return buyer;
  }

  const setStripe = (knobs: object) => setKnobs(billing.sandbox, knobs);

  return { billing, appWith, createBuyer, openCustomer, setStripe };
}

/** The SDK with other methods of some of its resources. */
export function stripeWith(stripe: Stripe, resources: { [Name in keyof Stripe]?: object }): Stripe {
  const changed = Object.entries(resources).map(([name, methods]) => [
    name,
    replaced(stripe[name as keyof Stripe] as object, methods),
  ]);
  return replaced(stripe, Object.fromEntries(changed));
}

/** A copy of an object with some properties replaced. */
function replaced<Whole extends object>(whole: Whole, properties: object): Whole {
  return new Proxy(whole, {
    get: (target, key) => Reflect.get(key in properties ? properties : target, key),
  });
}
