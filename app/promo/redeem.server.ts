import { randomUUID } from "node:crypto";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { grants, promoCodes } from "../db/schema.ts";
import type { Tier } from "../entitlements/tiers.ts";
import {
  isRedeemable,
  normalisePromoCode,
  PROMO_CODE_MAX_LENGTH,
  PROMO_MESSAGES,
  tierOfRedemption,
} from "./rules.ts";

export type Redemption =
  | { ok: true; tier: Tier; code: string; expiresAt: Date; isRepeat: boolean }
  | { ok: false; message: string };

/**
 * Redeems a promo code for a user: one use counted and one grant made, in one transaction, or neither. The same
 * code again by the same user takes no use and answers with the grant there is.
 *
 * @param userId `null` when nobody is signed in
 * @param input.tier what the user chose; counts only when the code has no tier of its own
 * @returns the grant, or the message of spec §5 that says why there is none
 */
export async function redeemPromoCode(
  db: Database,
  userId: string | null,
  input: { code: string; tier?: unknown },
): Promise<Redemption> {
  const code = normalisePromoCode(input.code);
  if (code === "") return { ok: false, message: PROMO_MESSAGES.empty };
  if (userId === null) return { ok: false, message: PROMO_MESSAGES.signedOut };
  if (code.length > PROMO_CODE_MAX_LENGTH || /\p{Cc}/u.test(code))
    return { ok: false, message: PROMO_MESSAGES.invalid };

  const earlier = await findRedemption(db, userId, code);
  if (earlier) return earlier;

  const [promo] = await db
    .select({ promo: promoCodes, now: sql<string>`now()` })
    .from(promoCodes)
    .where(eq(promoCodes.code, code));
  if (!promo || !isRedeemable(promo.promo, new Date(promo.now)))
    return { ok: false, message: PROMO_MESSAGES.invalid };

  return takeUse(db, userId, code, input.tier);
}

async function takeUse(db: Database, userId: string, code: string, chosenTier: unknown): Promise<Redemption> {
  const granted = await db
    .transaction(async (tx) => {
      // The guard is on the UPDATE itself: what was read a moment ago may no longer be true.
      const [promo] = await tx
        .update(promoCodes)
        .set({ usedCount: sql`${promoCodes.usedCount} + 1` })
        .where(
          and(
            eq(promoCodes.code, code),
            eq(promoCodes.active, true),
            sql`(${promoCodes.expiresAt} IS NULL OR ${promoCodes.expiresAt} > now())`,
            sql`(${promoCodes.maxUses} IS NULL OR ${promoCodes.usedCount} < ${promoCodes.maxUses})`,
          ),
        )
        .returning();
      if (!promo) return null;

      const [grant] = await tx
        .insert(grants)
        .values({
          id: randomUUID(),
          userId,
          tier: tierOfRedemption(promo, chosenTier),
          source: "promo",
          promoCode: code,
          expiresAt:
            promo.durationType === "forever"
              ? laterByCalendar(sql`now()`, sql`interval '100 years'`)
              : laterByCalendar(sql`now()`, sql`make_interval(months => ${promo.durationMonths ?? 1}::int)`),
        })
        .onConflictDoNothing({ target: [grants.userId, grants.promoCode] })
        .returning();
      // The same user won elsewhere in this very moment: give the use back.
      if (!grant) throw new AlreadyRedeemed();
      return grant;
    })
    .catch((error: unknown) => {
      if (error instanceof AlreadyRedeemed) return null;
      throw error;
    });

  if (granted) return { ok: true, tier: granted.tier, code, expiresAt: granted.expiresAt, isRepeat: false };
  const earlier = await findRedemption(db, userId, code);
  if (earlier) return earlier;
  const stillThere = await db.$count(promoCodes, eq(promoCodes.code, code));
  return { ok: false, message: stillThere ? PROMO_MESSAGES.invalid : PROMO_MESSAGES.gone };
}

class AlreadyRedeemed extends Error {}

/** An instant and an interval later, by the calendar of UTC whatever the connection's time zone is; month ends clamp. */
export function laterByCalendar(instant: SQL, interval: SQL): SQL {
  return sql`(${instant} AT TIME ZONE 'UTC' + ${interval}) AT TIME ZONE 'UTC'`;
}

/** The answer to a second redemption: the first one's grant while it lives, otherwise that the code is spent. */
async function findRedemption(db: Queryable, userId: string, code: string): Promise<Redemption | null> {
  const [grant] = await db
    .select({
      tier: grants.tier,
      expiresAt: grants.expiresAt,
      isLive: sql<boolean>`${grants.revokedAt} IS NULL AND ${grants.expiresAt} > now()`,
    })
    .from(grants)
    .where(and(eq(grants.userId, userId), eq(grants.promoCode, code)));
  if (!grant) return null;
  if (!grant.isLive) return { ok: false, message: PROMO_MESSAGES.invalid };
  return { ok: true, tier: grant.tier, code, expiresAt: grant.expiresAt, isRepeat: true };
}
