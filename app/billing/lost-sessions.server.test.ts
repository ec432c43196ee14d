import { press } from "@ownwords/sandbox/testing";
import { eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { expect, test } from "vitest";
import { findOpenAttempt } from "./checkout-attempt.server.ts";
import { replaced, setupShop } from "./checkout-attempts.fixture.ts";
import { checkoutAttempts } from "./schema.ts";

const { shop, choose, pageFor, sweep, payableSessions, attempts, before } = setupShop();
const PRICES = [
  "price_csv_only_monthly",
  "price_csv_only_yearly",
  "price_csv_banking_monthly",
  "price_csv_banking_yearly",
];

test("twenty choices at once leave one page at most on which anything can be paid", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, index) => choose(PRICES[index % 4])));
  const attempt = await findOpenAttempt(shop.database.db, shop.userId);
  const payable = await payableSessions();
  expect(payable).toEqual(attempt?.sessionId ? [attempt.sessionId] : []);
  await sweep();
  expect(await payableSessions()).toEqual(payable);
});

test("a session whose attempt is closed before it is written is ended", async () => {
  const close = () =>
    shop.database.db
      .update(checkoutAttempts)
      .set({ status: "closed" })
      .where(eq(checkoutAttempts.userId, shop.userId));
  expect(
    await choose(undefined, { db: before(/^update "checkout_attempts" set "session_id"/, close) }),
  ).toMatchObject({ ok: false, status: 409 });
  expect(await payableSessions()).toEqual([]);
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }]);
});

test("when it cannot be ended at once, the sweep finds it by its key and ends it", async () => {
  const close = () =>
    shop.database.db
      .update(checkoutAttempts)
      .set({ status: "closed" })
      .where(eq(checkoutAttempts.userId, shop.userId));
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
  const attempt = await findOpenAttempt(shop.database.db, shop.userId);
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
  await shop.database.db
    .update(checkoutAttempts)
    .set({ sessionId: null, status: "closed", createdAt: sql`now() - interval '1 day'` })
    .where(eq(checkoutAttempts.userId, shop.userId));
  const payable = await payableSessions();
  await sweep();
  expect(await payableSessions()).toEqual(payable);
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }]);
});

function withoutExpiry(): Stripe {
  const expire = () => Promise.reject(new Error("Stripe is away"));
  const sessions = replaced(shop.stripe.checkout.sessions, "expire", expire);
  return replaced(shop.stripe, "checkout", replaced(shop.stripe.checkout, "sessions", sessions));
}
