import { beforeEach, expect, test } from "vitest";
import { connect, type Database } from "../db/client.server.ts";
import { createLog } from "../log/log.server.ts";
import { checkPromoCode } from "./check.server.ts";
import { config, setupPromo } from "./promo.fixture.ts";
import type { Redemption } from "./redeem.server.ts";
import { startAfter } from "./rules.ts";

const { database, newCode, newUser, usesOf, ...promo } = setupPromo();
let userId: string;

beforeEach(async () => {
  userId = await newUser();
});

const redeem = (code: string, tier?: string, confirmed?: string, db?: Database) =>
  promo.redeem(userId, code, { tier, confirmed, db });
const usedCount = async (code: string) => (await usesOf(code)).uses;

test("a code that would add nothing is left unused, confirmed or not", async () => {
  await redeem("PREMIUM3");
  const before = await usedCount("WELCOME");
  for (const tier of ["basic", "premium"] as const) {
    const answer = await redeem("WELCOME", tier);
    expect(answer).toMatchObject({
      ok: false,
      unused: { code: "WELCOME", tier, kind: "adds_nothing", behind: { tier: "premium", renews: false } },
    });
    expect(await redeem("WELCOME", tier, startOfferedBy(answer))).toMatchObject({
      unused: { kind: "adds_nothing" },
    });
  }
  expect(await usedCount("WELCOME")).toBe(before);
  expect(await liveGrants()).toEqual(["PREMIUM3"]);
});

test("the second one-month code of a day is kept, also when both come at once", async () => {
  const codes = ["MONTH_A", "MONTH_B"];
  for (const code of codes) await newCode({ code, tier: "basic", months: "1" });
  const others = connect(database.url, 1, () => {});
  const answers = await Promise.all([
    redeem("MONTH_A"),
    redeem("MONTH_B", undefined, undefined, others.db),
  ]).finally(() => others.pool.end());
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  const kept = codes[answers.findIndex(({ ok }) => !ok)] ?? "";
  expect(await usedCount(kept)).toBe(0);
  expect(await redeem(kept)).toMatchObject({
    unused: { code: kept, kind: "adds_nothing", behind: { tier: "basic" } },
  });
  expect(await usedCount(kept)).toBe(0);
  expect(await liveGrants()).toEqual(codes.filter((code) => code !== kept));
});

// A minute, so that a slow machine tests the same.
test.each([
  ["basic", "24 hours", "applies"],
  ["basic", "23:59", "adds_nothing"],
  ["premium", "24 hours", "follows"],
  ["premium", "23:59", "adds_nothing"],
])(
  "%s held until %s before the code would end: checking and applying agree on %s",
  async (tier, before, kind) => {
    const code = `GAIN_${tier}_${before}`.replace(/\W/g, "_").toUpperCase();
    await newCode({ code, tier: "basic", months: "1" });
    await database.pool.query(
      `INSERT INTO grants (id, user_id, tier, source, expires_at) VALUES
       ($1, $1, $2, 'admin', (now() AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' - $3::interval)`,
      [userId, tier, before],
    );
    const app = { config, db: database.db, log: createLog("silent") };
    const user = { id: userId, email: `${userId}@example.com`, emailVerified: true };
    expect(await checkPromoCode(app, "192.0.2.1", user, { code })).toMatchObject({
      checked: { effect: { kind } },
    });
    const answer = await redeem(code);
    if (kind === "applies") expect(answer).toMatchObject({ ok: true });
    else expect(answer).toMatchObject({ ok: false, unused: { kind } });
    expect(await usedCount(code)).toBe(kind === "applies" ? 1 : 0);
  },
);

test("a code that would only follow is asked about, and asked again when its start has moved", async () => {
  await newCode({ code: "BASIC6", tier: "basic", months: "6" });
  await redeem("PREMIUM3");
  const asked = await redeem("BASIC6");
  expect(asked).toMatchObject({ ok: false, unused: { tier: "basic", kind: "follows" } });
  await database.pool.query(
    "UPDATE grants SET expires_at = expires_at + interval '1 month' WHERE user_id = $1",
    [userId],
  );
  const again = await redeem("BASIC6", undefined, startOfferedBy(asked));
  expect(again).toMatchObject({ ok: false, unused: { kind: "follows" } });
  expect(startOfferedBy(again)).not.toBe(startOfferedBy(asked));
  expect(await usedCount("BASIC6")).toBe(0);
  expect(await redeem("BASIC6", undefined, startOfferedBy(again))).toMatchObject({ ok: true, tier: "basic" });
  expect(await usedCount("BASIC6")).toBe(1);
});

test("beside a payment that renews a code of that plan is left unused; once it is cancelled it extends it", async () => {
  await pays(userId, { cancels: false });
  for (const tier of ["basic", "premium"])
    expect(await redeem("WELCOME", tier)).toMatchObject({
      unused: { kind: "adds_nothing", behind: { renews: true } },
    });
  await pays(userId, { cancels: true });
  expect(await redeem("WELCOME", "basic")).toMatchObject({
    unused: { kind: "follows", behind: { source: "paid" } },
  });
  expect(await redeem("WELCOME", "premium")).toMatchObject({ ok: true, tier: "premium" });
});

test("the payment that comes between the question and the yes is looked at again", async () => {
  await newCode({ code: "BASIC9", tier: "basic", months: "9" });
  await redeem("PREMIUM3");
  const asked = await redeem("BASIC9");
  const db = new Proxy(database.db, {
    get: (target, property, receiver) =>
      property !== "transaction"
        ? Reflect.get(target, property, receiver)
        : async (...args: Parameters<Database["transaction"]>) => {
            await pays(userId, { cancels: false });
            return target.transaction(...args);
          },
  });
  const answer = await redeem("BASIC9", undefined, startOfferedBy(asked), db);
  expect(answer).toMatchObject({ ok: false, unused: { kind: "adds_nothing", behind: { renews: true } } });
  expect(await usedCount("BASIC9")).toBe(0);
});

/** What the form that asks would send along with a yes. */
const startOfferedBy = (answer: Redemption) =>
  "unused" in answer ? startAfter(answer.unused.behind) : undefined;

async function liveGrants(): Promise<string[]> {
  const { rows } = await database.pool.query(
    "SELECT promo_code FROM grants WHERE user_id = $1 ORDER BY promo_code",
    [userId],
  );
  return rows.map((row) => row.promo_code);
}

/** As if they paid for premium, ten days from its next date. */
async function pays(userId: string, { cancels }: { cancels: boolean }) {
  await database.pool.query(
    `INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('p', 'CSV + Banking', true, 'premium', 1)
     ON CONFLICT DO NOTHING`,
  );
  await database.pool.query(
    `INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
     VALUES ('p', 'p', true, 499, 'usd', 'month', 1) ON CONFLICT DO NOTHING`,
  );
  await database.pool.query(
    "INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $1) ON CONFLICT DO NOTHING",
    [userId],
  );
  await database.pool.query(
    `INSERT INTO stripe_subscriptions
       (id, user_id, price_id, tier, status, started_at, current_period_end, cancel_at, sync_ticket)
     VALUES ($1, $1, 'p', 'premium', 'active', now(), now() + interval '10 days',
       CASE WHEN $2 THEN now() + interval '10 days' END, 1)
     ON CONFLICT (id) DO UPDATE
     SET current_period_end = excluded.current_period_end, cancel_at = excluded.cancel_at`,
    [userId, cancels],
  );
}
