import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import { REFUSED, setupPromo } from "./promo.fixture.ts";
import { addInterval } from "./redeem.server.ts";
import { startAfter } from "./rules.ts";

const { database, redeem, newCode, newUser, usesOf } = setupPromo();
let userId: string;

beforeEach(async () => {
  userId = await newUser();
});

const current = () => currentSubscription(database.db, userId);

test("the code's own tier overrides the choice, and the grant is what the user holds", async () => {
  expect(await redeem(userId, " premium3 ", { tier: "basic" })).toMatchObject({
    ok: true,
    tier: "premium",
    isRepeat: false,
  });
  expect(await current()).toMatchObject({
    userId,
    tier: "premium",
    status: "active",
    source: "promo",
    promoCode: "PREMIUM3",
    features: ["csv_processing", "banking_api"],
    renews: false,
  });
});

test("a code without a tier gives the chosen one, basic by default", async () => {
  expect(await redeem(userId, "WELCOME", { tier: "premium" })).toMatchObject({ ok: true, tier: "premium" });
  expect(await redeem(await newUser(), "WELCOME")).toMatchObject({ tier: "basic" });
});

test("the same code again by the same user takes no use", async () => {
  const code = await newCode();
  const first = await redeem(userId, code);
  expect(await redeem(userId, code.toLowerCase(), { tier: "premium" })).toEqual({ ...first, isRepeat: true });
  expect(await usesOf(code)).toEqual({ uses: 1, grants: 1 });
});

test.each([
  ["", "Please enter a promo code"],
  [" \t\n", "Please enter a promo code"],
  ["NOSUCH", REFUSED.message],
  ["EXPIRED", REFUSED.message],
  ["USEDUP", REFUSED.message],
  ["X".repeat(100_000), REFUSED.message],
  ["'; DROP TABLE grants --", REFUSED.message],
])("%.30j is refused: %s", async (code, message) => {
  expect(await redeem(userId, code)).toEqual({ ...REFUSED, message });
  expect(await current()).toBeNull();
});

test("a redemption that has ended cannot be had again", async () => {
  const code = await newCode();
  await redeem(userId, code);
  await database.db.execute(sql`UPDATE grants SET expires_at = now() WHERE user_id = ${userId}`);
  expect(await current()).toBeNull();
  expect(await redeem(userId, code)).toEqual(REFUSED);
  expect(await usesOf(code)).toMatchObject({ uses: 1 });
});

test("a code cannot be redeemed before it starts, and can from then on", async () => {
  const code = await newCode({ startsAt: "2999-01-01" });
  expect(await redeem(userId, code)).toEqual(REFUSED);
  await database.pool.query("UPDATE promo_codes SET starts_at = now() WHERE code = $1", [code]);
  expect(await redeem(userId, code)).toMatchObject({ ok: true });
});

test("a code for confirmed addresses says what to do, and is used once the address is confirmed", async () => {
  const code = await newCode({ confirmedOnly: true });
  const message =
    "This code is for confirmed email addresses. Open the link we emailed you to confirm yours, then apply the code again.";
  expect(await redeem(userId, code)).toEqual({ ok: false, status: 403, message });
  expect(await usesOf(code)).toMatchObject({ uses: 0 });
  await database.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [userId]);
  expect(await redeem(userId, code)).toMatchObject({ ok: true });
});

test.each([
  ["2026-11-30 12:30Z", 3, "2027-02-28T12:30:00.000Z"],
  ["2027-11-30 12:30Z", 3, "2028-02-29T12:30:00.000Z"],
  ["2027-01-31 00:00Z", 1, "2027-02-28T00:00:00.000Z"],
  ["2026-11-30 12:30Z", 1, "2026-12-30T12:30:00.000Z"],
])(
  "month ends clamp, whatever the connection's time zone: %s and %i months is %s",
  async (from, months, until) => {
    for (const timeZone of ["UTC", "Pacific/Auckland", "America/Los_Angeles"]) {
      const [row] = await database.db.transaction(async (tx) => {
        await tx.execute(sql.raw(`SET LOCAL TIME ZONE '${timeZone}'`));
        const later = addInterval(sql`${from}::timestamptz`, sql`make_interval(months => ${months}::int)`);
        return (await tx.execute<{ later: string }>(sql`SELECT ${later} AS later`)).rows;
      });
      expect([timeZone, new Date(row?.later ?? "").toISOString()]).toEqual([timeZone, until]);
    }
  },
);

test("durations: three months, one by default, a hundred years for forever", async () => {
  for (const [code, interval] of [
    [await newCode(), "1 month"],
    ["PREMIUM3", "3 months"],
    ["FOREVER", "100 years"],
  ] as const) {
    await redeem(userId, code);
    const { rows } = await database.pool.query(
      `SELECT expires_at = created_at + $3::interval AS same FROM grants WHERE user_id = $1 AND promo_code = $2`,
      [userId, code, interval],
    );
    expect(rows, code).toEqual([{ same: true }]);
  }
});

test("the best plan held wins: premium before basic, then the later end", async () => {
  const code = await newCode({ tier: "basic", forever: true });
  await redeem(userId, "PREMIUM3");
  const asked = await redeem(userId, code);
  const confirmed = "unused" in asked ? startAfter(asked.unused.behind) : "";
  expect(await redeem(userId, code, { confirmed })).toMatchObject({ ok: true });
  expect(await current()).toMatchObject({ tier: "premium", promoCode: "PREMIUM3" });
  await redeem(userId, "FOREVER");
  expect(await current()).toMatchObject({ tier: "premium", promoCode: "FOREVER" });
});
