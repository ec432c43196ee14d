import type { Pool } from "pg";
import type Stripe from "stripe";
import { afterAll, beforeEach } from "vitest";
import { connectWithSurprise } from "../../test/database.ts";
import { createSignedInUser } from "../../test/users.ts";
import { createLog } from "../log/log.server.ts";
import { handleJob } from "../outbox/outbox.server.ts";
import { createWorker } from "../outbox/worker.server.ts";
import { checkAttempt, enqueueDueChecks } from "./attempt-checks.server.ts";
import { config, setupBilling, stripeWith } from "./billing.fixture.ts";
import { createCheckoutSession } from "./checkout.server.ts";
import { findCustomer } from "./customer.server.ts";
import { CHECK_ATTEMPT } from "./job-kinds.server.ts";

/** The state of one test. */
interface Shop extends Pick<ReturnType<typeof setupBilling>["billing"], "database" | "sandbox" | "stripe"> {
  /** A new user in each test. */
  userId: string;
  /** Log lines of this test's sweeps. */
  logged: string[];
}

/** Overrides of the shop's own parts. */
type Parts = Parameters<ReturnType<typeof setupBilling>["appWith"]>[0];

/**
 * A database, a Stripe sandbox and a user who chooses plans, for the tests of a file.
 *
 * @returns `shop`, which is filled before each test, and the actions on it
 */
export function setupShop() {
  const { billing, appWith, setStripe } = setupBilling();
  const shop = billing as Shop;
  const surprised: Pool[] = [];

  beforeEach(async () => {
    shop.userId = (await createSignedInUser(shop.database.pool)).id;
    shop.logged = [];
  });

  afterAll(() => Promise.all(surprised.map((pool) => pool.end())));

  function choose(price = "price_csv_only_monthly", with_: Parts = {}) {
    const { userId } = shop;
    const user = {
      id: userId,
      name: "Ada",
      email: `${userId}@example.com`,
      emailVerified: false,
      image: null,
      timeZone: null,
    };
    return createCheckoutSession(appWith(with_), user, {
      price,
      success_url: `${config.publicOrigin}/dashboard`,
      cancel_url: `${config.publicOrigin}/subscription`,
    });
  }

  async function pageFor(price?: string): Promise<string> {
    const checkout = await choose(price);
    if (!checkout.ok) throw new Error(checkout.message);
    return checkout.url;
  }

  /** Makes every attempt due, then runs a sweep and its jobs. */
  async function sweep(client = shop.stripe): Promise<void> {
    const { db, pool } = shop.database;
    await pool.query("UPDATE checkout_attempts SET check_at = now() WHERE check_at IS NOT NULL");
    await enqueueDueChecks(db);
    const log = createLog("warn", { write: (line) => void shop.logged.push(line) });
    await createWorker({ db, log }, [
      handleJob(CHECK_ATTEMPT, ({ attemptId }) =>
        checkAttempt({ stripe: client, config, db, log }, attemptId),
      ),
    ]).drain();
  }

  /** Ids of the sessions that are payable at Stripe. */
  async function payableSessions(): Promise<string[]> {
    const customer = (await findCustomer(shop.database.db, shop.userId)) ?? "";
    const sessions = await shop.stripe.checkout.sessions.list({ customer, status: "open", limit: 100 });
    return sessions.data.map(({ id }) => id);
  }

  async function attempts() {
    const { rows } = await shop.database.pool.query(
      `SELECT status, session_id, checks, round(extract(epoch FROM check_at - now()) / 60)::int AS minutes
       FROM checkout_attempts WHERE user_id = $1 ORDER BY created_at`,
      [shop.userId],
    );
    return rows;
  }

  /** A connection that calls `happen` just before the first matching query. */
  function before(query: RegExp, happen: () => PromiseLike<unknown>): typeof shop.database.db {
    const connection = connectWithSurprise(shop.database.url, query, happen);
    surprised.push(connection.pool);
    return connection.db;
  }

  return { shop, appWith, setStripe, choose, pageFor, sweep, payableSessions, attempts, before };
}

/** A Stripe whose list of subscriptions lags behind and is empty. */
export function withNothingListed(stripe: Stripe): Stripe {
  return stripeWith(stripe, { subscriptions: { list: () => ({ autoPagingToArray: async () => [] }) } });
}
