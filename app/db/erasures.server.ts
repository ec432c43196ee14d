import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Queryable } from "./client.server.ts";
import type { ExpiredRows } from "./delete-batches.server.ts";
import { erasures } from "./schema.ts";

export type Erasure = typeof erasures.$inferSelect;

export const erasureList = z.array(
  z.object({
    subject: z.enum(["user", "waitlist"]),
    id: z.string().min(1).max(200),
    erasedAt: z.coerce.date(),
  }),
);

/** In the deleting transaction, so that it can be deleted again after an older backup is restored (decision 0060). */
export async function recordErasures(
  tx: Queryable,
  subject: Erasure["subject"],
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await mergeErasures(
    tx,
    ids.map((id) => ({ subject, id })),
  );
}

/** Existing entries keep their time. */
export async function mergeErasures(
  tx: Queryable,
  list: readonly (typeof erasures.$inferInsert)[],
): Promise<void> {
  const batchSize = 1000;
  for (let start = 0; start < list.length; start += batchSize)
    await tx
      .insert(erasures)
      .values(list.slice(start, start + batchSize))
      .onConflictDoNothing();
}

const UNDONE = sql`
  SELECT subject, id FROM erasures WHERE subject = 'user' AND EXISTS (SELECT FROM "user" WHERE "user".id = erasures.id)
  UNION ALL
  SELECT subject, id FROM erasures WHERE subject = 'waitlist'
    AND EXISTS (SELECT FROM waitlist WHERE waitlist.id = erasures.id)`;

/** Deleted on request but there again. */
export async function listUndone(db: Queryable): Promise<Pick<Erasure, "subject" | "id">[]> {
  const { rows } = await db.execute<Pick<Erasure, "subject" | "id">>(UNDONE);
  return rows;
}

/** Older than every backup. */
export const oldErasures = (keepDays: number): ExpiredRows => ({
  table: erasures,
  condition: sql`${erasures.erasedAt} < now() - make_interval(days => ${keepDays}::int)`,
});
