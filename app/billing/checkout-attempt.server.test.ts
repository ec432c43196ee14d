import { press } from "@ownwords/sandbox/testing";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { findViolations } from "../db/invariants.server.ts";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import { enqueueDueChecks } from "./attempt-checks.server.ts";
import { stripeWith } from "./billing.fixture.ts";
import { findOpenAttempt } from "./checkout-attempt.server.ts";
import { setupShop, withNothingListed } from "./checkout-attempts.fixture.ts";
import { checkoutAttempts } from "./schema.ts";

const { shop, setStripe, choose, pageFor, sweep, payableSessions, attempts, before } = setupShop();

test("paid, the tab closed and the webhook lost: the next sweep brings the subscription", async () => {
  await press(await pageFor("price_csv_banking_yearly"), "pay");
  expect(await currentSubscription(shop.database.db, shop.userId)).toBeNull();
  await sweep();
  expect(await currentSubscription(shop.database.db, shop.userId)).toMatchObject({
    tier: "premium",
    source: "paid",
  });
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
    await shop.database.pool.query("UPDATE checkout_attempts SET check_at = now() WHERE user_id = $1", [
      shop.userId,
    ]);
    await Promise.all(Array.from({ length: 8 }, () => enqueueDueChecks(shop.database.db)));
    expect(await attempts()).toMatchObject([{ checks, minutes }]);
  }
  await sweep();
  expect(await attempts()).toMatchObject([{ status: "open" }]);
});

test("while Stripe is away the question waits, and is asked when Stripe is back", async () => {
  await press(await pageFor(), "pay");
  await setStripe({ api: "down" });
  await sweep();
  await setStripe({ api: "up" });
  expect(await currentSubscription(shop.database.db, shop.userId)).toBeNull();
  await shop.database.pool.query("UPDATE outbox SET run_at = now() WHERE done_at IS NULL");
  await sweep();
  expect(await currentSubscription(shop.database.db, shop.userId)).toMatchObject({ tier: "basic" });
});

test("a session that has expired closes its attempt", async () => {
  await pageFor();
  const [session = ""] = await payableSessions();
  await shop.stripe.checkout.sessions.expire(session);
  await sweep();
  expect(await attempts()).toMatchObject([{ status: "closed", minutes: null }]);
});

test("paid, and no subscription is known of it: it is logged, asked again, and after two days an invariant", async () => {
  await press(await pageFor(), "pay");
  await sweep(withNothingListed(shop.stripe));
  expect(shop.logged.join()).toContain("a checkout is paid, and no subscription of it is known here");
  expect(await attempts()).toMatchObject([{ status: "open", minutes: 4 }]);
  expect(await findViolations(shop.database.pool)).toEqual([]);
  await shop.database.pool.query(
    "UPDATE checkout_attempts SET created_at = now() - interval '49 hours' WHERE user_id = $1",
    [shop.userId],
  );
  expect(await findViolations(shop.database.pool)).toMatchObject([
    { rule: expect.stringContaining("two days after it was opened"), rows: [{ user_id: shop.userId }] },
  ]);
  await sweep();
  expect(await findViolations(shop.database.pool)).toEqual([]);
});

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
  const expire = () => Promise.reject(new Error("Stripe is away"));
  const close = () =>
    shop.database.db
      .update(checkoutAttempts)
      .set({ status: "closed" })
      .where(eq(checkoutAttempts.userId, shop.userId));
  await choose(undefined, {
    db: before(/^update "checkout_attempts" set "session_id"/, close),
    stripe: stripeWith(shop.stripe, {
      checkout: { sessions: Object.assign(Object.create(shop.stripe.checkout.sessions), { expire }) },
    }),
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

test("a lost session of an attempt that was not replaced is ended, too, and the next choice works", async () => {
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
