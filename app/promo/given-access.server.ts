import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import { lockUser } from "../auth/users.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { TIERS } from "../entitlements/tiers.ts";
import { addInterval } from "./redeem.server.ts";
import { grants } from "./schema.ts";

const MAX_REASON_LENGTH = 500;

export const operatorReason = z
  .string({ error: "Say why" })
  .trim()
  .min(1, "Say why")
  .max(MAX_REASON_LENGTH, `Say it in at most ${MAX_REASON_LENGTH} characters`);

/** For a month by default. Numbers are strings, as in a form or on a command line. */
export const accessToGive = z
  .object({
    tier: z.enum(TIERS, { error: "Choose a plan" }),
    months: z.coerce
      .number<string>({ error: "Enter a number of months" })
      .int("Enter whole months")
      .min(1, "Enter at least 1 month")
      .max(1200, "Enter at most 1200 months")
      .optional(),
    /** Instead of `months`: the last day of access, in UTC. */
    lastDay: z.iso
      .date({ error: "Enter a day such as 2027-01-31" })
      .refine((day) => day >= new Date().toISOString().slice(0, 10), { error: "That day is over" })
      .refine((day) => day < "2200", { error: "Enter a day before the year 2200" })
      .optional(),
    reason: operatorReason,
  })
  .refine(({ months, lastDay }) => !(months && lastDay), {
    error: "Enter either months or a last day",
    path: ["lastDay"],
  });

/** Audited. @param grantId made with the form, so that sending it twice gives it once: `given_before` */
export async function giveAccess(
  db: Database,
  actor: Actor,
  userId: string,
  grantId: string,
  { tier, months = 1, lastDay, reason }: z.output<typeof accessToGive>,
) {
  return db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) return "no_account";
    const expiresAt = lastDay
      ? sql`(${lastDay}::date + 1)::timestamp AT TIME ZONE 'UTC'`
      : addInterval(sql`now()`, sql`make_interval(months => ${months}::int)`);
    const [given] = await tx
      .insert(grants)
      .values({ id: grantId, userId, tier, source: "admin", expiresAt, reason })
      .onConflictDoNothing({ target: grants.id })
      .returning({ expiresAt: grants.expiresAt });
    if (!given) return "given_before";
    await recordChange(tx, actor, {
      action: "user.access_given",
      subject: `user:${userId}`,
      after: { grant: grantId, tier, expiresAt: given.expiresAt },
      reason,
    });
    return "given";
  });
}

/** From a code or an operator. A code's use stays counted. @returns `no_longer`: revoked or over already, or another user's */
export async function revokeGrant(
  db: Database,
  actor: Actor,
  userId: string,
  grantId: string,
  reason: string,
) {
  return db.transaction(async (tx) => {
    await lockUser(tx, userId);
    const [revoked] = await tx
      .update(grants)
      .set({ revokedAt: sql`now()` })
      .where(
        and(
          eq(grants.id, grantId),
          eq(grants.userId, userId),
          isNull(grants.revokedAt),
          sql`${grants.expiresAt} > now()`,
        ),
      )
      .returning();
    if (!revoked) return "no_longer";
    // Not the code: others may still redeem it, and the log is permanent.
    const { tier, source, expiresAt, revokedAt } = revoked;
    await recordChange(tx, actor, {
      action: "user.access_revoked",
      subject: `user:${userId}`,
      before: { grant: grantId, tier, source, expiresAt },
      after: { grant: grantId, revokedAt },
      reason,
    });
    return "revoked";
  });
}

/** The grants of a deleted account stay, without a person. */
export async function forgetReasons(tx: Queryable, userId: string): Promise<void> {
  await tx.update(grants).set({ reason: null }).where(eq(grants.userId, userId));
}
