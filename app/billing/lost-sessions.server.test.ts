import { eq, sql } from "drizzle-orm";
import type { Pool } from "pg";
import type Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { press, startTestSandbox } from "../../sandbox/stripe/stripe.fixture.ts";
import { connectWithSurprise, openDatabase } from "../../test/database.ts";
import { createSignedInUser } from "../../test/users.ts";
import { readConfig } from "../config/config.server.ts";
import { createLog } from "../log/log.server.ts";
import { handleJob } from "../outbox/outbox.server.ts";
import { createWorker } from "../outbox/worker.server.ts";
import { checkAttempt, enqueueDueChecks } from "./attempt-checks.server.ts";
import { syncCatalogue } from "./catalogue.server.ts";
import { createCheckoutSession } from "./checkout.server.ts";
import { findOpenAttempt } from "./checkout-attempt.server.ts";
import { findCustomer } from "./customer.server.ts";
import { CHECK_ATTEMPT } from "./job-kinds.server.ts";
import { checkoutAttempts } from "./schema.ts";

const config = readConfig({ AUTH_SECRET: "x".repeat(32) });
const PRICES = [
  "price_csv_only_monthly",
  "price_csv_only_yearly",
  "price_csv_banking_monthly",
  "price_csv_banking_yearly",
];

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

test("twenty choices at once leave one page at most on which anything can be paid", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, index) => choose(PRICES[index % 4])));
  const attempt = await findOpenAttempt(database.db, userId);
  const payable = await payableSessions();
  expect(payable).toEqual(attempt?.sessionId ? [attempt.sessionId] : []);
  await sweep();
  expect(await payableSessions()).toEqual(payable);
});

test("a session whose attempt is closed before it is written is ended", async () => {
  const close = () =>
    database.db.update(checkoutAttempts).set({ status: "closed" }).where(eq(checkoutAttempts.userId, userId));
  expect(
    await choose(undefined, { db: before(/^update "checkout_attempts" set "session_id"/, close) }),
  ).toMatchObject({ ok: false, status: 409 });
  expect(await payableSessions()).toEqual([]);
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }]);
});

test("when it cannot be ended at once, the sweep finds it by its key and ends it", async () => {
  const close = () =>
    database.db.update(checkoutAttempts).set({ status: "closed" }).where(eq(checkoutAttempts.userId, userId));
  await choose(undefined, {
    db: before(/^update "checkout_attempts" set "session_id"/, close),
    stripe: withoutExpiry(),
  });
  expect(await payableSessions()).toHaveLength(1);
  await sweep();
  expect(await payableSessions()).toEqual([]);
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }]);
});

test("a process that ends between making a session and writing it leaves nothing to pay on", async () => {
  const die = () => Promise.reject(new Error("the process was killed"));
  const dying = before(/^update "checkout_attempts" set "session_id"/, die);
  await expect(choose("price_csv_only_monthly", { db: dying })).rejects.toThrow();
  const [lost] = await payableSessions();
  expect(await attempts()).toMatchObject([{ status: "open", session_id: null }]);

  // A newer wish closes the attempt, and cannot know of the session.
  await pageFor("price_csv_banking_yearly");
  const attempt = await findOpenAttempt(database.db, userId);
  expect(await payableSessions()).toContain(lost);
  await sweep();
  expect(await payableSessions()).toEqual([attempt?.sessionId]);
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }, { status: "open" }]);
});

test("a lost session of an attempt that nobody replaced is ended, too, and the next choice works", async () => {
  const die = () => Promise.reject(new Error("the process was killed"));
  await expect(
    choose(undefined, { db: before(/^update "checkout_attempts" set "session_id"/, die) }),
  ).rejects.toThrow();
  await sweep();
  expect(await payableSessions()).toEqual([]);
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }]);
  expect((await press(await pageFor(), "pay")).status).toBe(303);
});

test("an attempt closed without a session for longer than its key lives is over", async () => {
  await pageFor();
  await database.db
    .update(checkoutAttempts)
    .set({ sessionId: null, status: "closed", createdAt: sql`now() - interval '1 day'` })
    .where(eq(checkoutAttempts.userId, userId));
  const payable = await payableSessions();
  await sweep();
  expect(await payableSessions()).toEqual(payable);
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }]);
});

function before(query: RegExp, happen: () => PromiseLike<unknown>): typeof database.db {
  const connection = connectWithSurprise(database.url, query, happen);
  surprised.push(connection.pool);
  return connection.db;
}

function withoutExpiry(): Stripe {
  const expire = () => Promise.reject(new Error("Stripe is away"));
  const sessions = replaced(stripe.checkout.sessions, "expire", expire);
  return replaced(stripe, "checkout", replaced(stripe.checkout, "sessions", sessions));
}

/** The same thing but for one property. */
function replaced<Whole extends object>(whole: Whole, property: string, by: unknown): Whole {
  return new Proxy(whole, {
    get: (target, key) => (key === property ? by : Reflect.get(target, key)),
  });
}
