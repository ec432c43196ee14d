import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import {
  addPromoCode,
  editOf,
  editPromoCode,
  findPromoCode,
  type PromoEdit,
  setPaused,
  versionOf,
} from "./manage-codes.server.ts";
import { newPromoCode } from "./promo-terms.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let code: string;
let number = 0;

const OPERATOR = { name: "operator@example.com" };

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(async () => {
  code = `CODE${++number}`;
  await addPromoCode(database.db, OPERATOR, newPromoCode.parse({ code, tier: "basic", maxUses: "10" }));
});

afterAll(() => database.close());

const read = async () => {
  const row = await findPromoCode(database.db, code);
  if (!row) throw new Error("the code is gone");
  return row;
};
const edit = async (change: Partial<PromoEdit>, seen: string | null = null) =>
  editPromoCode(database.db, OPERATOR, code, { ...editOf(await read()), ...change }, seen);
const redeemed = (times: number) =>
  database.pool.query("UPDATE promo_codes SET used_count = $2 WHERE code = $1", [code, times]);

async function changes(): Promise<string[]> {
  const { rows } = await database.pool.query(
    "SELECT action FROM audit_log WHERE subject = $1 AND actor = $2 ORDER BY id",
    [`promo_code:${code}`, `site, for ${OPERATOR.name}`],
  );
  return rows.map(({ action }) => action);
}

test("the same code twice is made once, and logged once", async () => {
  const again = await addPromoCode(database.db, OPERATOR, newPromoCode.parse({ code, tier: "premium" }));
  expect(again).toBeNull();
  expect(await read()).toMatchObject({ tier: "basic", maxUses: 10 });
  expect(await changes()).toEqual(["promo_code.created"]);
});

test("ten operators pause it at once: one of them did, and the log has it once", async () => {
  const all = await Promise.all(
    Array.from({ length: 10 }, () => setPaused(database.db, OPERATOR, code, true)),
  );
  expect(all.filter((outcome) => outcome.ok && outcome.isChanged)).toHaveLength(1);
  expect(await setPaused(database.db, OPERATOR, code, false)).toEqual({ ok: true, isChanged: true });
  expect(await changes()).toEqual(["promo_code.created", "promo_code.paused", "promo_code.resumed"]);
  expect(await setPaused(database.db, OPERATOR, "NOSUCH", true)).toMatchObject({ ok: false, status: 404 });
});

test("uses cannot go below those it has had, in words", async () => {
  await redeemed(7);
  expect(await edit({ maxUses: 6 })).toMatchObject({
    ok: false,
    field: "maxUses",
    message:
      "It has been redeemed 7 times, so it can’t allow fewer uses than that. To stop it now, pause it.",
  });
  expect(await edit({ maxUses: 7 })).toEqual({ ok: true, isChanged: true });
  expect(await edit({ maxUses: null })).toEqual({ ok: true, isChanged: true });
});

test.each<Partial<PromoEdit>>([
  { tier: "premium" },
  { tier: null },
  { durationMonths: 2 },
  { durationType: "forever", durationMonths: null },
])("once redeemed, what it gives stays: %j", async (change) => {
  expect(await edit(change)).toEqual({ ok: true, isChanged: true });
  await redeemed(1);
  const before = await read();
  expect(await edit({ tier: "basic", durationType: "months", durationMonths: 9 })).toMatchObject({
    ok: false,
    status: 409,
    message: expect.stringContaining("has been redeemed once, so its plan and length stay"),
  });
  expect(await read()).toEqual(before);
  expect(await edit({ note: "It ends soon", expiresAt: new Date("2030-01-01") })).toEqual({
    ok: true,
    isChanged: true,
  });
});

test("what was not changed is not logged; what was, with what it was", async () => {
  expect(await edit({})).toEqual({ ok: true, isChanged: false });
  await edit({ maxUses: 20 });
  const { rows } = await database.pool.query(
    "SELECT before, after FROM audit_log WHERE subject = $1 AND action = 'promo_code.edited'",
    [`promo_code:${code}`],
  );
  expect(rows).toEqual([{ before: { maxUses: 10 }, after: { maxUses: 20 } }]);
});

test("two who edit the same page: the second is asked to look again", async () => {
  const seen = versionOf(await read());
  const both = await Promise.all([edit({ maxUses: 20 }, seen), edit({ note: "Mine" }, seen)]);
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  expect(both.find(({ ok }) => !ok)).toMatchObject({
    status: 409,
    message: expect.stringContaining("Somebody changed this code"),
  });
});

test("an end before the start is refused", async () => {
  const startsAt = new Date("2027-01-02");
  expect(await edit({ startsAt, expiresAt: startsAt })).toMatchObject({ ok: false, field: "expiresAt" });
});
