import { asc, sql } from "drizzle-orm";
import { z } from "zod";
import type { Queryable } from "../db/client.server.ts";
import { TIERS } from "../entitlements/tiers.ts";
import { normalisePromoCode, PROMO_CODE_MAX_LENGTH } from "./rules.ts";
import { promoCodes } from "./schema.ts";

/** The operator's input for a new code (spec §3). Numbers may be strings, from a command line or a form. */
export const newPromoCode = z
  .object({
    code: z
      .string({ error: "name the code" })
      .transform(normalisePromoCode)
      .pipe(
        z
          .string()
          .max(PROMO_CODE_MAX_LENGTH)
          .regex(/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u, "use letters, digits, - and _"),
      ),
    /** Absent: the user chooses when redeeming. */
    tier: z.enum(TIERS).optional(),
    months: z.coerce.number().int().min(1).max(1200).optional(),
    forever: z.boolean().optional(),
    /** Absent: unlimited. */
    maxUses: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
    /** The last day it can be redeemed, in UTC. */
    lastDay: z.iso.date({ error: "give a day like 2027-01-31" }).optional(),
  })
  .refine(({ forever, months }) => !(forever && months), {
    error: "either --months or --forever",
    path: ["forever"],
  });

export type NewPromoCode = z.output<typeof newPromoCode>;

/** @returns the created row, or `null` when the code exists already; it is then left unchanged */
export async function createPromoCode(db: Queryable, input: NewPromoCode) {
  const { code, tier, months, forever, maxUses, lastDay } = input;
  const [created] = await db
    .insert(promoCodes)
    .values({
      code,
      tier: tier ?? null,
      durationType: forever ? "forever" : "months",
      durationMonths: forever ? null : (months ?? 1),
      maxUses: maxUses ?? null,
      expiresAt: lastDay ? sql`(${lastDay}::date + 1)::timestamp AT TIME ZONE 'UTC'` : null,
    })
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
    gives: row.durationType === "forever" ? "forever" : `${row.durationMonths ?? 1} months`,
    used: row.maxUses === null ? `${row.usedCount}` : `${row.usedCount} of ${row.maxUses}`,
    until: row.expiresAt?.toISOString() ?? "no end",
    active: row.active,
  }));
}
