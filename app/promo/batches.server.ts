import { count, eq, sql, sum } from "drizzle-orm";
import type { z } from "zod";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { defineJob, enqueue } from "../outbox/outbox.server.ts";
import { type newPromoBatch, termsOf } from "./promo-terms.server.ts";
import { randomPromoCode } from "./random-code.server.ts";
import { promoBatches, promoCodes } from "./schema.ts";

const CHUNK = 500;

export const MAKE_PROMO_BATCH = defineJob<{ batchId: string }>("make_promo_batch", ({ batchId }) => batchId);

/** A job makes its codes. @param id made with the form, so that sending it twice makes one batch. @returns whether it is new */
export async function createPromoBatch(
  db: Database,
  actor: Actor,
  id: string,
  input: z.output<typeof newPromoBatch>,
): Promise<boolean> {
  const { name, size } = input;
  const terms = termsOf(input);
  return db.transaction(async (tx) => {
    const { rowCount } = await tx
      .insert(promoBatches)
      .values({ id, name, size, ...terms })
      .onConflictDoNothing();
    if (!rowCount) return false;
    await recordChange(tx, actor, {
      action: "promo_batch.created",
      subject: `promo_batch:${id}`,
      after: { name, size, ...terms },
    });
    await enqueue(tx, MAKE_PROMO_BATCH, { batchId: id });
    return true;
  });
}

/** Safe to interrupt, and to run concurrently. */
export async function makeBatchCodes(db: Database, batchId: string): Promise<void> {
  while (await db.transaction((tx) => makeChunk(tx, batchId)));
}

async function makeChunk(tx: Queryable, batchId: string): Promise<boolean> {
  // One transaction makes the batch's codes at a time.
  const [batch] = await tx
    .select()
    .from(promoBatches)
    .where(eq(promoBatches.id, batchId))
    .for("no key update");
  if (!batch || batch.finishedAt) return false;
  const missing = batch.size - (await countCodes(tx, batchId)).made;
  const codes = Array.from({ length: Math.min(missing, CHUNK) }, randomPromoCode);
  // An existing code is skipped, and the next chunk makes another.
  const { rowCount } = await tx.execute(sql`
    INSERT INTO ${promoCodes} (code, tier, starts_at, expires_at, max_uses, duration_type, duration_months, confirmed_only, once_per_mailbox, batch_id, is_single)
    SELECT code, tier, starts_at, expires_at, max_uses, duration_type, duration_months, confirmed_only, once_per_mailbox, id, false
    FROM ${promoBatches}, unnest(${sql.param(codes)}::text[]) AS code
    WHERE id = ${batchId}
    ON CONFLICT DO NOTHING`);
  if ((rowCount ?? 0) < missing) return true;
  await tx.update(promoBatches).set({ finishedAt: sql`now()` }).where(eq(promoBatches.id, batchId));
  return false;
}

export async function readPromoBatch(db: Queryable, id: string) {
  const [batch] = await db.select().from(promoBatches).where(eq(promoBatches.id, id));
  return batch ? { ...batch, ...(await countCodes(db, id)) } : null;
}

async function countCodes(db: Queryable, batchId: string) {
  const [counted] = await db
    .select({
      made: count(),
      redeemed: sum(promoCodes.usedCount).mapWith(Number),
      paused: sql<number>`count(*) FILTER (WHERE NOT ${promoCodes.active})::int`,
    })
    .from(promoCodes)
    .where(eq(promoCodes.batchId, batchId));
  return { made: counted?.made ?? 0, redeemed: counted?.redeemed ?? 0, paused: counted?.paused ?? 0 };
}

/** Once they are made. @returns how many changed */
export async function setBatchPaused(
  db: Database,
  actor: Actor,
  id: string,
  isPaused: boolean,
): Promise<{ ok: true; count: number } | Failure> {
  return db.transaction(async (tx) => {
    const [batch] = await tx
      .select({ finishedAt: promoBatches.finishedAt })
      .from(promoBatches)
      .where(eq(promoBatches.id, id))
      .for("no key update");
    if (!batch) return failure(404, "There is no such batch.");
    if (!batch.finishedAt) return failure(409, "Its codes are still being made. Try again in a moment.");
    const { rowCount } = await tx.execute(sql`
      UPDATE ${promoCodes} SET active = ${!isPaused} WHERE batch_id = ${id} AND active = ${isPaused}`);
    const changed = rowCount ?? 0;
    if (changed > 0)
      await recordChange(tx, actor, {
        action: isPaused ? "promo_batch.paused" : "promo_batch.resumed",
        subject: `promo_batch:${id}`,
        after: { active: !isPaused, codes: changed },
      });
    return { ok: true, count: changed };
  });
}
