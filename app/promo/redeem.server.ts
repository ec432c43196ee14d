import { randomUUID } from "node:crypto";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { lockUser } from "../auth/lock-user.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { listHeldPlans } from "../entitlements/subscription.server.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { isAddressRemembered } from "./once-per-person.server.ts";
import {
  effectOfGrant,
  type HeldPlan,
  isRedeemable,
  isUseful,
  normalisePromoCode,
  PROMO_CODE_MAX_LENGTH,
  PROMO_MESSAGES,
  tierOfRedemption,
} from "./rules.ts";
import { grants, promoCodes } from "./schema.ts";

export type Redemption =
  | { ok: true; tier: Tier; code: string; expiresAt: Date; isRepeat: boolean }
  | { ok: false; message: string }
  | { ok: false; unused: UnusedCode };

/** A code that could be used but was not, because of what its user has. */
export interface UnusedCode {
  code: string;
  /** What it would give, and until when if it were used now. */
  tier: Tier;
  expiresAt: Date;
  /** What it would have to wait for. */
  held: HeldPlan;
  /** Whether it would come into force after `held`; otherwise it would add nothing. */
  follows: boolean;
}

/** What redeeming needs of the app. */
interface Parts {
  db: Database;
  config: Pick<Config, "authSecret">;
}

/**
 * Redeems a promo code for a user: one use counted and one grant made, in one transaction, or neither. The same
 * code again by the same user takes no use and answers with the grant there is. A code that would add nothing to what
 * the user has, or would only follow it, is left unused; the latter until they have agreed to it (decision 0031).
 *
 * @param userId `null` when nobody is signed in
 * @param input.tier what the user chose; counts only when the code has no tier of its own
 * @param input.confirmed the later start they have agreed to: see isUseful
 * @returns the grant, the message of spec §5 that says why there is none, or what the code would have done
 */
export async function redeemPromoCode(
  { db, config }: Parts,
  userId: string | null,
  input: { code: string; tier?: unknown; confirmed?: string },
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

  return db.transaction((tx) => redeemOnce(tx, config, userId, { ...input, code }));
}

async function redeemOnce(
  tx: Queryable,
  secrets: Pick<Config, "authSecret">,
  userId: string,
  { code, tier: chosenTier, confirmed }: { code: string; tier?: unknown; confirmed?: string },
): Promise<Redemption> {
  // Of one user only one redemption at a time, and meanwhile the account is neither deleted nor given another address.
  const owner = await lockUser(tx, userId);
  if (!owner) return { ok: false, message: PROMO_MESSAGES.signedOut };
  const earlier = await findRedemption(tx, userId, code);
  if (earlier) return earlier;
  if (await isAddressRemembered(tx, secrets, code, owner.email))
    return { ok: false, message: PROMO_MESSAGES.invalid };

  // What a code gives never changes once it is made; whether a use is left may change until the UPDATE.
  const [promo] = await tx
    .select({ tier: promoCodes.tier, endsAt: END_OF_GRANT })
    .from(promoCodes)
    .where(eq(promoCodes.code, code));
  if (!promo) return { ok: false, message: PROMO_MESSAGES.gone };
  const tier = tierOfRedemption(promo, chosenTier);
  const expiresAt = new Date(promo.endsAt);
  const effect = effectOfGrant({ tier, expiresAt }, await listHeldPlans(tx, userId));
  if (effect.kind !== "applies" && !isUseful(effect, confirmed))
    return {
      ok: false,
      unused: { code, tier, expiresAt, held: effect.held, follows: effect.kind === "follows" },
    };

  if (!(await takeUse(tx, code))) return { ok: false, message: PROMO_MESSAGES.invalid };
  await tx.insert(grants).values({
    id: randomUUID(),
    userId,
    tier,
    source: "promo",
    promoCode: code,
    expiresAt: sql`${promo.endsAt}::timestamptz`,
  });
  return { ok: true, tier, code, expiresAt, isRepeat: false };
}

/** Counts one use, if one is left: the guard is on the UPDATE itself. */
async function takeUse(tx: Queryable, code: string): Promise<boolean> {
  const taken = await tx
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
    .returning({ code: promoCodes.code });
  return taken.length === 1;
}

/** An instant and an interval later, by the calendar of UTC whatever the connection's time zone is; month ends clamp. */
export function laterByCalendar(instant: SQL, interval: SQL): SQL {
  return sql`(${instant} AT TIME ZONE 'UTC' + ${interval}) AT TIME ZONE 'UTC'`;
}

/** When a grant of the code ends that is made in this transaction (spec §9); text, so that no microsecond is lost. */
const END_OF_GRANT = laterByCalendar(
  sql`now()`,
  sql`CASE WHEN ${promoCodes.durationType} = 'forever' THEN interval '100 years'
    ELSE make_interval(months => coalesce(${promoCodes.durationMonths}, 1)) END`,
) as SQL<string>;

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
