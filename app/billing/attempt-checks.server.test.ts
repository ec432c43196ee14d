import type { Pool } from "pg";
import type Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { press, startTestSandbox } from "../../sandbox/stripe/stripe.fixture.ts";
import { openDatabase } from "../../test/database.ts";
import { createSignedInUser } from "../../test/users.ts";
import { readConfig } from "../config/config.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import { createLog } from "../log/log.server.ts";
import { handleJob } from "../outbox/outbox.server.ts";
import { createWorker } from "../outbox/worker.server.ts";
import { checkAttempt, enqueueDueChecks } from "./attempt-checks.server.ts";
import { syncCatalogue } from "./catalogue.server.ts";
import { createCheckoutSession } from "./checkout.server.ts";
import { findCustomer } from "./customer.server.ts";
import { CHECK_ATTEMPT } from "./job-kinds.server.ts";

const config = readConfig({ AUTH_SECRET: "x".repeat(32) });
const surprised: Pool[] = [];
let database: Awaited<ReturnType<typeof openDatabase>>;
let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let stripe: Stripe;
let userId: string;
let logged: string[];

beforeAll(async () => {
  [database, sandbox] = await Promise.all([openDatabase(), startTestSandbox()]);
  stripe = sandbox.stripe;
  await syncCatalogue(stripe, database.db);
});

beforeEach(async () => {
  userId = (await createSignedInUser(database.pool)).id;
  logged = [];
});

afterAll(async () => {
  await Promise.all(surprised.map((pool) => pool.end()));
  await Promise.all([database.close(), sandbox.close()]);
});

function choose(price = "price_csv_only_monthly", with_: { db?: typeof database.db; stripe?: Stripe } = {}) {
  const user = {
    id: userId,
    name: "Ada",
    email: `${userId}@example.com`,
    emailVerified: false,
    image: null,
    timeZone: null,
  };
  const app = {
    config,
    db: with_.db ?? database.db,
    payments: {
      isOn: true as const,
      stripe: with_.stripe ?? stripe,
      webhookSecret: "unused",
      checkoutOrigins: [],
    },
    log: createLog("silent"),
  };
  return createCheckoutSession(app, user, {
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

/** As if the attempts' time had come: what a sweep and the worker after it do. */
async function sweep(client = stripe): Promise<void> {
  await database.pool.query("UPDATE checkout_attempts SET check_at = now() WHERE check_at IS NOT NULL");
  await enqueueDueChecks(database.db);
  const log = createLog("warn", { write: (line) => void logged.push(line) });
  await createWorker({ db: database.db, log }, [
    handleJob(CHECK_ATTEMPT, ({ attemptId }) =>
      checkAttempt(client, { config, db: database.db, log }, attemptId),
    ),
  ]).drain();
}

/** What can be paid at Stripe. */
async function payableSessions(): Promise<string[]> {
  const customer = (await findCustomer(database.db, userId)) ?? "";
  const sessions = await stripe.checkout.sessions.list({ customer, status: "open", limit: 100 });
  return sessions.data.map(({ id }) => id);
}

const attempts = async () =>
  (
    await database.pool.query(
      `SELECT status, session_id, checks, round(extract(epoch FROM check_at - now()) / 60)::int AS minutes
       FROM checkout_attempts WHERE user_id = $1 ORDER BY created_at`,
      [userId],
    )
  ).rows;

test("paid, the tab closed and the webhook lost: the next sweep brings the subscription", async () => {
  await press(await pageFor("price_csv_banking_yearly"), "pay");
  expect(await currentSubscription(database.db, userId)).toBeNull();
  await sweep();
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "premium", source: "paid" });
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }]);
});

test("Stripe is asked 1, 5 and 30 minutes after an attempt began and then daily, by one process", async () => {
  await pageFor();
  expect(await attempts()).toMatchObject([{ checks: 0, minutes: 1 }]);
  for (const [checks, minutes] of [
    [1, 4],
    [2, 25],
    [3, 24 * 60],
    [4, 24 * 60],
  ]) {
    await database.pool.query("UPDATE checkout_attempts SET check_at = now() WHERE user_id = $1", [userId]);
    await Promise.all(Array.from({ length: 8 }, () => enqueueDueChecks(database.db)));
    expect(await attempts()).toMatchObject([{ checks, minutes }]);
  }
  await sweep();
  expect(await attempts()).toMatchObject([{ status: "open" }]);
});

test("while Stripe is away the question waits, and is asked when Stripe is back", async () => {
  await press(await pageFor(), "pay");
  const set = (api: string) =>
    fetch(`${sandbox.origin}/sandbox/stripe/control`, { method: "POST", body: JSON.stringify({ api }) });
  await set("down");
  await sweep();
  await set("up");
  expect(await currentSubscription(database.db, userId)).toBeNull();
  await database.pool.query("UPDATE outbox SET run_at = now() WHERE done_at IS NULL");
  await sweep();
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "basic" });
});

test("a session that has expired closes its attempt", async () => {
  await pageFor();
  const [session = ""] = await payableSessions();
  await stripe.checkout.sessions.expire(session);
  await sweep();
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }]);
});

test("paid, and no subscription is known of it: it is logged, asked again, and after two days an invariant", async () => {
  await press(await pageFor(), "pay");
  await sweep(withNothingListed());
  expect(logged.join()).toContain("a checkout is paid, and no subscription of it is known here");
  expect(await attempts()).toMatchObject([{ status: "open", minutes: 4 }]);
  expect(await findViolations(database.pool)).toEqual([]);
  await database.pool.query(
    "UPDATE checkout_attempts SET created_at = now() - interval '49 hours' WHERE user_id = $1",
    [userId],
  );
  expect(await findViolations(database.pool)).toMatchObject([
    { rule: expect.stringContaining("two days after it was opened"), rows: [{ user_id: userId }] },
  ]);
  await sweep();
  expect(await findViolations(database.pool)).toEqual([]);
});

function withNothingListed(): Stripe {
  const list = () => ({ autoPagingToArray: async () => [] });
  return replaced(stripe, "subscriptions", replaced(stripe.subscriptions, "list", list));
}

/** The same thing but for one property. */
function replaced<Whole extends object>(whole: Whole, property: string, by: unknown): Whole {
  return new Proxy(whole, {
    get: (target, key) => (key === property ? by : Reflect.get(target, key)),
  });
}
