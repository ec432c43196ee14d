import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { connect } from "../db/client.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import { addInterval } from "./code-terms.server.ts";
import { createPromoCode } from "./promo-codes.server.ts";
import { newPromoCode } from "./promo-terms.server.ts";
import { redeemPromoCode } from "./redeem.server.ts";
import { startAfter } from "./rules.ts";
import { addSampleCodes } from "./sample-codes.server.ts";
import { promoCodes } from "./schema.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let userId: string;

beforeAll(async () => {
  database = await openDatabase();
  await addSampleCodes(database.pool);
});

beforeEach(async () => {
  const [user] = await createSignedInUsers(database.pool, 1);
  userId = user?.id ?? "";
});

afterAll(async () => {
  expect(await findViolations(database.pool)).toEqual([]);
  await database.close();
});

const config = { authSecret: AUTH_SECRET };
const redeem = (code: string, tier?: string, confirmed?: string) =>
  redeemPromoCode({ config, db: database.db }, userId, { code, tier, confirmed });

async function usedCount(code: string) {
  const [promo] = await database.db.select().from(promoCodes).where(eq(promoCodes.code, code));
  return promo?.usedCount;
}

test("the code's own tier overrides the choice, and the grant is what the user holds", async () => {
  expect(await redeem(" premium3 ", "basic")).toMatchObject({ ok: true, tier: "premium", isRepeat: false });
  expect(await currentSubscription(database.db, userId)).toMatchObject({
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
  expect(await redeem("WELCOME", "premium")).toMatchObject({ ok: true, tier: "premium" });
  const [other] = await createSignedInUsers(database.pool, 1);
  expect(
    await redeemPromoCode({ config, db: database.db }, other?.id ?? "", { code: "WELCOME" }),
  ).toMatchObject({
    tier: "basic",
  });
});

test("the same code again by the same user takes no use", async () => {
  const before = await usedCount("WELCOME");
  const first = await redeem("WELCOME");
  const second = await redeem("welcome", "premium");
  expect(second).toEqual({ ...first, isRepeat: true });
  expect(await usedCount("WELCOME")).toBe((before ?? 0) + 1);
});

test("twenty at once by the same user take one use", async () => {
  const before = await usedCount("WELCOME");
  const redeemers = openPools(20);
  const all = await whileLocked("WELCOME", () =>
    redeemers.map(({ db }) => redeemPromoCode({ config, db }, userId, { code: "WELCOME" })),
  );
  await Promise.all(redeemers.map(({ pool }) => pool.end()));
  expect(all.every((redemption) => redemption.ok)).toBe(true);
  expect(all.filter((redemption) => redemption.ok && !redemption.isRepeat)).toHaveLength(1);
  expect(await usedCount("WELCOME")).toBe((before ?? 0) + 1);
});

test.each([
  ["", "Please enter a promo code"],
  [" \t\n", "Please enter a promo code"],
  ["NOSUCH", "Invalid or expired promo code"],
  ["EXPIRED", "Invalid or expired promo code"],
  ["USEDUP", "Invalid or expired promo code"],
  ["X".repeat(100_000), "Invalid or expired promo code"],
  ["'; DROP TABLE grants --", "Invalid or expired promo code"],
])("%.30j is refused: %s", async (code, message) => {
  expect(await redeem(code)).toEqual({ ok: false, message });
  expect(await currentSubscription(database.db, userId)).toBeNull();
});

test("nobody signed in", async () => {
  expect(await redeemPromoCode({ config, db: database.db }, null, { code: "WELCOME" })).toEqual({
    ok: false,
    message: "User must be logged in to apply a promo code",
  });
});

test("a redemption that has ended cannot be had again", async () => {
  await redeem("WELCOME");
  const before = await usedCount("WELCOME");
  await database.db.execute(sql`UPDATE grants SET expires_at = now() WHERE user_id = ${userId}`);
  expect(await currentSubscription(database.db, userId)).toBeNull();
  expect(await redeem("WELCOME")).toEqual({ ok: false, message: "Invalid or expired promo code" });
  expect(await usedCount("WELCOME")).toBe(before);
});

test.each([
  ["2026-11-30 12:30Z", 3, "2027-02-28T12:30:00.000Z"],
  ["2027-11-30 12:30Z", 3, "2028-02-29T12:30:00.000Z"],
  ["2027-01-31 00:00Z", 1, "2027-02-28T00:00:00.000Z"],
  ["2026-11-30 12:30Z", 1, "2026-12-30T12:30:00.000Z"],
])(
  "month ends clamp, wherever the database thinks it is: %s and %i months is %s",
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
  await createPromoCode(database.db, newPromoCode.parse({ code: "DEFAULT" }));
  for (const [code, interval] of [
    ["DEFAULT", "1 month"],
    ["PREMIUM3", "3 months"],
    ["FOREVER", "100 years"],
  ]) {
    await redeem(code ?? "");
    const { rows } = await database.db.execute<{ same: boolean }>(
      sql`SELECT expires_at = created_at + ${interval}::interval AS same FROM grants
          WHERE user_id = ${userId} AND promo_code = ${code}`,
    );
    expect(rows, code).toEqual([{ same: true }]);
  }
});

test("the best thing held wins: premium before basic, then the later end", async () => {
  await createPromoCode(
    database.db,
    newPromoCode.parse({ code: "BASICFOREVER", tier: "basic", forever: true }),
  );
  await redeem("PREMIUM3");
  const asked = await redeem("BASICFOREVER");
  const start = "unused" in asked ? startAfter(asked.unused.held) : undefined;
  expect(await redeem("BASICFOREVER", undefined, start)).toMatchObject({ ok: true });
  expect(await currentSubscription(database.db, userId)).toMatchObject({
    tier: "premium",
    promoCode: "PREMIUM3",
  });
  await redeem("FOREVER");
  expect(await currentSubscription(database.db, userId)).toMatchObject({
    tier: "premium",
    promoCode: "FOREVER",
  });
});

const openPools = (count: number) => Array.from({ length: count }, () => connect(database.url, 1, () => {}));

/** Holds the code's row until every redemption has looked at it and waits to write: the worst moment, made sure of. */
async function whileLocked<T>(code: string, start: () => Promise<T>[]): Promise<T[]> {
  const holder = await database.pool.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM promo_codes WHERE code = $1 FOR UPDATE", [code]);
  const started = start();
  const waiting =
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await eventually(
    async () => (await database.pool.query(waiting)).rowCount === started.length,
    "all of them wait",
  );
  await holder.query("ROLLBACK");
  holder.release();
  return Promise.all(started);
}
