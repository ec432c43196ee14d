import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectWithSurprise, openDatabase } from "../../test/database.ts";
import { createPerson } from "../../test/users.ts";
import { endPool } from "../db/client.server.ts";
import { createPromoBatch, makeBatchCodes, readPromoBatch, setBatchPaused } from "./batches.server.ts";
import { revokeGrant } from "./given-access.server.ts";
import { newPromoBatch } from "./promo-terms.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

const OPERATOR = { name: "operator@example.com" };

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

async function createBatch(size: number): Promise<string> {
  const id = randomUUID();
  const input = newPromoBatch.parse({ name: "Leaflets", size: String(size), tier: "premium", maxUses: "1" });
  const isNew = await Promise.all([1, 2].map(() => createPromoBatch(database.db, OPERATOR, id, input)));
  expect(isNew.toSorted()).toEqual([false, true]);
  return id;
}

const codesOf = async (id: string) =>
  (await database.pool.query("SELECT * FROM promo_codes WHERE batch_id = $1", [id])).rows;

test("sent twice it is one batch, with one job", async () => {
  const id = await createBatch(3);
  const { rows } = await database.pool.query(
    "SELECT payload FROM outbox WHERE kind = 'make_promo_batch' AND payload->>'batchId' = $1",
    [id],
  );
  expect(rows).toEqual([{ payload: { batchId: id } }]);
  expect(await readPromoBatch(database.db, id)).toMatchObject({ size: 3, made: 0, finishedAt: null });
});

test("four who make it at once make each code once, with the batch's terms", async () => {
  const id = await createBatch(1_700);
  await Promise.all([1, 2, 3, 4].map(() => makeBatchCodes(database.db, id)));
  const codes = await codesOf(id);
  expect(codes).toHaveLength(1_700);
  expect(codes[0]).toMatchObject({
    tier: "premium",
    max_uses: 1,
    duration_months: 1,
    active: true,
    used_count: 0,
  });
  expect(await readPromoBatch(database.db, id)).toMatchObject({ made: 1_700, finishedAt: expect.any(Date) });
  await makeBatchCodes(database.db, id);
  expect(await codesOf(id)).toHaveLength(1_700);
});

test("stopped in the middle, it keeps what it has and is gone on with", async () => {
  const id = await createBatch(1_200);
  const { db, pool } = connectWithSurprise(database.url, /nothing like this/, async () => {});
  const run = db.transaction;
  let chunks = 0;
  db.transaction = (work, config) => {
    if (++chunks > 1) throw new Error("killed");
    return run(work, config);
  };
  await expect(makeBatchCodes(db, id)).rejects.toThrow("killed");
  await endPool(pool);
  const before = await codesOf(id);
  expect(before).toHaveLength(500);
  expect(await setBatchPaused(database.db, OPERATOR, id, true)).toMatchObject({ ok: false, status: 409 });
  await makeBatchCodes(database.db, id);
  const after = new Set((await codesOf(id)).map(({ code }) => code));
  expect(after.size).toBe(1_200);
  expect(before.filter(({ code }) => !after.has(code))).toEqual([]);
});

test("a whole batch is paused and resumed, once each", async () => {
  const id = await createBatch(10);
  await makeBatchCodes(database.db, id);
  const paused = await Promise.all([1, 2].map(() => setBatchPaused(database.db, OPERATOR, id, true)));
  expect(paused.toSorted((a, b) => Number(a.ok && a.count) - Number(b.ok && b.count))).toEqual([
    { ok: true, count: 0 },
    { ok: true, count: 10 },
  ]);
  expect(await setBatchPaused(database.db, OPERATOR, id, false)).toEqual({ ok: true, count: 10 });
  const { rows } = await database.pool.query("SELECT action FROM audit_log WHERE subject = $1 ORDER BY id", [
    `promo_batch:${id}`,
  ]);
  expect(rows.map(({ action }) => action)).toEqual([
    "promo_batch.created",
    "promo_batch.paused",
    "promo_batch.resumed",
  ]);
  expect(await setBatchPaused(database.db, OPERATOR, "none", true)).toMatchObject({ status: 404 });
});

test("what is revoked is in the audit log without its code, which others may still redeem", async () => {
  const id = await createBatch(1);
  await makeBatchCodes(database.db, id);
  const [{ code }] = await codesOf(id);
  const { id: userId } = await createPerson(database.pool);
  await database.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
     VALUES ($1, $1, 'premium', 'promo', $2, now() + interval '1 month')`,
    [userId, code],
  );
  expect(await revokeGrant(database.db, OPERATOR, userId, userId, "A mistake")).toBe("revoked");
  const { rows } = await database.pool.query("SELECT * FROM audit_log WHERE subject = $1", [
    `user:${userId}`,
  ]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(code);
});
