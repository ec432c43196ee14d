import { eq, sql } from "drizzle-orm";
import type { Pool } from "pg";
import { pino } from "pino";
import type Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { connectWithSurprise, openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { press, startTestSandbox, withHeldList } from "../../test/stripe.ts";
import { createSignedInUsers } from "../../test/users.ts";
import type { SignedInUser } from "../auth/sessions.server.ts";
import { readConfig } from "../config/config.server.ts";
import type { App } from "../http/context.server.ts";
import { syncCatalogue } from "./catalogue.server.ts";
import { type Checkout, createCheckoutSession } from "./checkout.server.ts";
import { closeAttempt, findOpenAttempt } from "./checkout-attempt.server.ts";
import { confirmPayment } from "./confirm.server.ts";
import { findCustomer } from "./customer.server.ts";
import { checkoutAttempts } from "./schema.ts";
import { syncCustomer } from "./sync.server.ts";

const config = readConfig({ AUTH_SECRET: "x".repeat(32) });
const ORIGIN = config.publicOrigin;

const surprised: Pool[] = [];
let database: Awaited<ReturnType<typeof openDatabase>>;
let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let stripe: Stripe;
let user: SignedInUser;

beforeAll(async () => {
  [database, sandbox] = await Promise.all([openDatabase(), startTestSandbox()]);
  stripe = sandbox.stripe;
  await syncCatalogue(stripe, database.db);
});

beforeEach(async () => {
  const [row] = await createSignedInUsers(database.pool, 1);
  user = {
    id: row?.id ?? "",
    name: "Ada",
    email: `${row?.id}@example.com`,
    emailVerified: false,
    image: null,
    timeZone: null,
  };
});

afterAll(async () => {
  await Promise.all(surprised.map((pool) => pool.end()));
  await Promise.all([database.close(), sandbox.close()]);
});

function choose(price: string, with_: { db?: typeof database.db; stripe?: Stripe } = {}): Promise<Checkout> {
  return createCheckoutSession(appWith(with_), user, {
    price,
    success_url: `${ORIGIN}/dashboard`,
    cancel_url: `${ORIGIN}/subscription`,
  });
}

function appWith(with_: {
  db?: typeof database.db;
  stripe?: Stripe;
}): Pick<App, "config" | "db" | "payments" | "log"> {
  return {
    config,
    db: with_.db ?? database.db,
    payments: { isOn: true, stripe: with_.stripe ?? stripe, webhookSecret: "unused", checkoutOrigins: [] },
    log: pino({ level: "silent" }),
  };
}

async function pageFor(price: string): Promise<string> {
  const checkout = await choose(price);
  if (!checkout.ok) throw new Error(checkout.message);
  return checkout.url;
}

async function subscriptionsAtStripe(): Promise<number> {
  const customer = (await findCustomer(database.db, user.id)) ?? "";
  return (await stripe.subscriptions.list({ customer })).data.length;
}

test("a price that Stripe refuses locks nobody out: the next choice works", async () => {
  await stripe.prices.update("price_csv_only_monthly", { active: false });
  expect(await choose("price_csv_only_monthly")).toMatchObject({ ok: false, status: 503 });
  expect(await choose("price_csv_banking_yearly")).toMatchObject({ ok: true });
  await stripe.prices.update("price_csv_only_monthly", { active: true });
  expect(await choose("price_csv_only_monthly")).toMatchObject({ ok: true });
});

test("a customer deleted at Stripe is replaced", async () => {
  await pageFor("price_csv_banking_yearly");
  const before = await findCustomer(database.db, user.id);
  await stripe.customers.del(before ?? "");
  const page = await pageFor("price_csv_banking_yearly");
  expect(await findCustomer(database.db, user.id)).not.toBe(before);
  expect((await press(page, "pay")).status).toBe(303);
});

test("a session that Stripe has no longer is replaced", async () => {
  const first = await pageFor("price_csv_banking_yearly");
  await database.db
    .update(checkoutAttempts)
    .set({ sessionId: "cs_test_of_another_account" })
    .where(eq(checkoutAttempts.userId, user.id));
  expect(await pageFor("price_csv_banking_yearly")).not.toBe(first);
});

test("an expired session is replaced", async () => {
  const first = await pageFor("price_csv_banking_yearly");
  const attempt = await findOpenAttempt(database.db, user.id);
  await stripe.checkout.sessions.expire(attempt?.sessionId ?? "");
  expect(await pageFor("price_csv_banking_yearly")).not.toBe(first);
});

test("an attempt left without a session for a day is not taken up again", async () => {
  await pageFor("price_csv_banking_yearly");
  const left = await findOpenAttempt(database.db, user.id);
  await database.db
    .update(checkoutAttempts)
    .set({ sessionId: null, createdAt: sql`now() - interval '1 day'` })
    .where(eq(checkoutAttempts.userId, user.id));
  await pageFor("price_csv_banking_yearly");
  expect((await findOpenAttempt(database.db, user.id))?.id).not.toBe(left?.id);
});

test("while the first choice is paid and becomes known, the second shows no page to pay on", async () => {
  const first = await pageFor("price_csv_banking_yearly");
  // The very moment between "does this user pay already?" and "is there an open attempt?"
  const payFirst = async () => {
    await press(first, "pay");
    await syncCustomer(stripe, database.db, config, (await findCustomer(database.db, user.id)) ?? "");
  };
  const second = await choose("price_csv_only_monthly", {
    db: before(/^select .* from "checkout_attempts"/, payFirst),
  });
  expect(second).toMatchObject({ ok: false, status: 409 });
  expect(await subscriptionsAtStripe()).toBe(1);
  expect(await findOpenAttempt(database.db, user.id)).toBeNull();
});

test("a session written while its attempt is being closed is expired too", async () => {
  const page = await pageFor("price_csv_banking_yearly");
  const attempt = await findOpenAttempt(database.db, user.id);
  const set = (sessionId: string | null) =>
    database.db.update(checkoutAttempts).set({ sessionId }).where(eq(checkoutAttempts.userId, user.id));
  await set(null);
  const write = () => set(attempt?.sessionId ?? null);
  await closeAttempt(stripe, before(/^update "checkout_attempts"/, write), attempt?.id ?? "");
  expect(await findOpenAttempt(database.db, user.id)).toBeNull();
  expect((await press(page, "pay")).status).toBe(410);
});

test("a price that is replaced, or in another currency, is refused although it is active at Stripe", async () => {
  const make = (currency: string) =>
    stripe.prices.create({
      product: "prod_csv_only",
      currency,
      unit_amount: 3999,
      recurring: { interval: "year" },
    });
  const [newer, foreign] = [await make("usd"), await make("eur")];
  await syncCatalogue(stripe, database.db);
  await database.pool.query("UPDATE prices SET created_at = created_at + interval '1 minute' WHERE id = $1", [
    newer.id,
  ]);
  for (const id of ["price_csv_only_yearly", foreign.id])
    expect(await choose(id)).toMatchObject({
      status: 404,
      message: expect.stringContaining("Nothing was charged"),
    });
  expect(await choose(newer.id)).toMatchObject({ ok: true });
  for (const { id } of [newer, foreign]) await stripe.prices.update(id, { active: false });
  await syncCatalogue(stripe, database.db);
  expect(await choose("price_csv_only_yearly")).toMatchObject({ ok: true });
});

test("a paid attempt stays in the way until its subscription is known", async () => {
  const page = await pageFor("price_csv_banking_yearly");
  await press(page, "pay");
  const attempt = await findOpenAttempt(database.db, user.id);
  expect(await closeAttempt(stripe, database.db, attempt?.id ?? "")).toBe("paid");
  expect(await findOpenAttempt(database.db, user.id)).not.toBeNull();
  // Stripe's list may be behind: then the second choice waits, whatever it costs.
  expect(await choose("price_csv_only_monthly", { stripe: withNothingListed() })).toMatchObject({
    status: 409,
    message: expect.stringContaining("still confirming"),
  });
  expect(await choose("price_csv_only_monthly")).toMatchObject({ status: 409 });
  expect(await subscriptionsAtStripe()).toBe(1);
  expect(await findOpenAttempt(database.db, user.id)).toBeNull();
});

test.each([2, 5, 10])("after a change of mind %i requests for the same get the same page", async (count) => {
  await pageFor("price_csv_only_monthly");
  const all = await Promise.all(Array.from({ length: count }, () => choose("price_csv_banking_yearly")));
  const urls = new Set(all.map((checkout) => (checkout.ok ? checkout.url : checkout.message)));
  expect(urls.size).toBe(1);
  expect((await press([...urls][0] ?? "", "pay")).status).toBe(303);
});

test("one customer at Stripe, however many first choices are made at once", async () => {
  await Promise.all(Array.from({ length: 8 }, () => choose("price_csv_banking_yearly")));
  const everybody = await stripe.customers.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
  expect(everybody.filter((customer) => customer.metadata.user_id === user.id)).toHaveLength(1);
});

test("of many looks at once at what became of a payment one asks Stripe, and the others wait for its answer", async () => {
  await press(await pageFor("price_csv_banking_yearly"), "pay");
  const attempt = await findOpenAttempt(database.db, user.id);
  const held = withHeldList(stripe, "subscriptions");
  const look = () =>
    confirmPayment(appWith({ stripe: held.client }), user.id, attempt?.sessionId ?? "").then(
      ({ outcome }) => outcome,
    );
  const tickets = async () => (await database.pool.query("SELECT last_value FROM sync_ticket")).rows[0];
  const first = look();
  await held.asked;
  const asked = await tickets();
  const others = Array.from({ length: 10 }, look);
  expect(new Set(await Promise.all([first, ...others]))).toEqual(new Set(["waiting"]));
  expect(await tickets()).toEqual(asked);
  held.handOver();
  await eventually(async () => (await look()) === "confirmed", "the payment is confirmed");
});

function before(query: RegExp, happen: () => PromiseLike<unknown>): typeof database.db {
  const connection = connectWithSurprise(database.url, query, happen);
  surprised.push(connection.pool);
  return connection.db;
}

function withNothingListed(): Stripe {
  const list = () => ({ autoPagingToArray: async () => [] });
  const subscriptions = new Proxy(stripe.subscriptions, {
    get: (target, key) => (key === "list" ? list : Reflect.get(target, key)),
  });
  return new Proxy(stripe, {
    get: (target, key) => (key === "subscriptions" ? subscriptions : Reflect.get(target, key)),
  });
}
