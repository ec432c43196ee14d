import { press } from "@ownwords/sandbox/testing";
import type Stripe from "stripe";
import { expect, test } from "vitest";
import { findViolations } from "../db/invariants.server.ts";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import { enqueueDueChecks } from "./attempt-checks.server.ts";
import { replaced, setupShop } from "./checkout-attempts.fixture.ts";

const { shop, pageFor, sweep, payableSessions, attempts } = setupShop();

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
  const set = (api: string) =>
    fetch(`${shop.sandbox.origin}/sandbox/stripe/control`, { method: "POST", body: JSON.stringify({ api }) });
  await set("down");
  await sweep();
  await set("up");
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
  await sweep(withNothingListed());
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

function withNothingListed(): Stripe {
  const list = () => ({ autoPagingToArray: async () => [] });
  return replaced(shop.stripe, "subscriptions", replaced(shop.stripe.subscriptions, "list", list));
}
