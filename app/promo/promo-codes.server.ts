import { asc } from "drizzle-orm";
import type { z } from "zod";
import type { Queryable } from "../db/client.server.ts";
import { type newPromoCode, termsOf } from "./promo-terms.server.ts";
import { describeDuration } from "./promo-terms.ts";
import { promoCodes } from "./schema.ts";

export type NewPromoCode = z.output<typeof newPromoCode>;

/** @returns the created row, or `null` when the code exists already; it is then left unchanged */
export async function createPromoCode(db: Queryable, input: NewPromoCode) {
  const [created] = await db
    .insert(promoCodes)
    .values({ code: input.code, note: input.note || null, ...termsOf(input) })
    .onConflictDoNothing()
    .returning();
  return created ?? null;
}

/** All codes with their use, ordered by code, formatted for the command line. */
export async function listPromoCodes(db: Queryable) {
  const rows = await db.select().from(promoCodes).orderBy(asc(promoCodes.code));
  return rows.map((row) => ({
    code: row.code,
    tier: row.tier ?? "chosen",
    gives: describeDuration(row),
    used: row.maxUses === null ? `${row.usedCount}` : `${row.usedCount} of ${row.maxUses}`,
    until: row.expiresAt?.toISOString() ?? "no end",
    active: row.active,
  }));
}
