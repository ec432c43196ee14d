import { randomUUID } from "node:crypto";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { lockUser } from "../auth/lock-user.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import type { HeldPlan } from "../entitlements/other-plans.ts";
import { listHeldPlans } from "../entitlements/subscription.server.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { noteEvent } from "../telemetry/events.ts";
import { isAddressRemembered } from "./once-per-person.server.ts";
import {
  canApply,
  effectOfGrant,
  isRedeemable,
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

/** A valid code that was not used because of a plan the user has. */
export interface UnusedCode {
  code: string;
  /** The tier it would give, until `expiresAt` if it were used now. */
  tier: Tier;
  expiresAt: Date;
  /** The plan it would have to wait for. */
  held: HeldPlan;
  /** Whether it would take effect after `held`; otherwise it would add nothing. */
  follows: boolean;
}

/**
 * Redeems a promo code for a user: counts one use and inserts one grant, in one transaction. A second redemption by the
 * same user counts no use and returns the existing grant. A code that would add nothing to the user's plans is left
 * unused, and so is one that would only follow them, until the user has agreed to that (decision 0031). A code for
 * confirmed addresses waits until the user has confirmed theirs.
 *
 * @param userId `null` when signed out
 * @param input.tier the user's choice; ignored when the code has a tier of its own
 * @param input.confirmed the later start the user has agreed to: see `canApply`
 * @returns the grant; or the message of spec §5 for a code that cannot be redeemed; or the effect of a code left unused
 */
export async function redeemPromoCode(
  { db, config }: { db: Database; config: Pick<Config, "authSecret"> },
  userId: string | null,
  input: { code: string; tier?: unknown; confirmed?: string },
): Promise<Redemption> {
  const code = normalisePromoCode(input.code);
  if (code === "") return { ok: false, message: PROMO_MESSAGES.empty };
  if (userId === null) return { ok: false, message: PROMO_MESSAGES.signedOut };
  if (code.length > PROMO_CODE_MAX_LENGTH || /\p{Cc}/u.test(code))
    return { ok: false, message: PROMO_MESSAGES.invalid };

  const [promo] = await db
    .select({ promo: promoCodes, now: sql<string>`now()` })
    .from(promoCodes)
    .where(eq(promoCodes.code, code));
  // Read second: if the last use was the user's own, sent twice at once, its grant is there.
  const earlier = await findRedemption(db, userId, code);
  if (earlier) return earlier;
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
  // Serialises a user's redemptions; until the commit the account can neither be deleted nor change its address.
  const owner = await lockUser(tx, userId);
  if (!owner) return { ok: false, message: PROMO_MESSAGES.signedOut };
  const earlier = await findRedemption(tx, userId, code);
  if (earlier) return earlier;
  if (await isAddressRemembered(tx, secrets, code, owner.email))
    return { ok: false, message: PROMO_MESSAGES.invalid };

  // Whether a use is left, and whether these are still the code's terms, is decided by the UPDATE.
  const promo = await readTerms(tx, code);
  if (!promo) return { ok: false, message: PROMO_MESSAGES.gone };
  if (promo.confirmedOnly && !owner.emailVerified) return { ok: false, message: PROMO_MESSAGES.unconfirmed };
  const tier = tierOfRedemption(promo, chosenTier);
  const expiresAt = new Date(promo.endsAt);
  const effect = effectOfGrant({ tier, expiresAt }, await listHeldPlans(tx, userId));
  if (effect.kind !== "applies" && !canApply(effect, confirmed))
    return {
      ok: false,
      unused: { code, tier, expiresAt, held: effect.held, follows: effect.kind === "follows" },
    };

  if (!(await consumeUse(tx, code, promo.version))) {
    // The operator may have changed what the code gives, or to whom, since it was read.
    const isChanged = promo.version !== (await readTerms(tx, code))?.version;
    if (isChanged) return redeemOnce(tx, secrets, userId, { code, tier: chosenTier, confirmed });
    return { ok: false, message: PROMO_MESSAGES.invalid };
  }
  const grantId = randomUUID();
  await tx.insert(grants).values({
    id: grantId,
    userId,
    tier,
    source: "promo",
    promoCode: code,
    expiresAt: sql`${promo.endsAt}::timestamptz`,
  });
  noteEvent(tx, { event: "redeemed", userId, grantId });
  return { ok: true, tier, code, expiresAt, isRepeat: false };
}

/** What a code gives, and to whom. */
async function readTerms(tx: Queryable, code: string) {
  const [promo] = await tx
    .select({
      tier: promoCodes.tier,
      confirmedOnly: promoCodes.confirmedOnly,
      endsAt: GRANT_EXPIRY,
      version: TERMS,
    })
    .from(promoCodes)
    .where(eq(promoCodes.code, code));
  return promo;
}

/**
 * Counts one use if one is left and the code can be redeemed at this very moment, however long the row was waited for;
 * the condition is part of the UPDATE.
 */
async function consumeUse(tx: Queryable, code: string, version: string): Promise<boolean> {
  const updated = await tx
    .update(promoCodes)
    .set({ usedCount: sql`${promoCodes.usedCount} + 1` })
    .where(
      and(
        eq(promoCodes.code, code),
        eq(promoCodes.active, true),
        sql`(${promoCodes.startsAt} IS NULL OR ${promoCodes.startsAt} <= now())`,
        sql`(${promoCodes.expiresAt} IS NULL OR ${promoCodes.expiresAt} > clock_timestamp())`,
        sql`(${promoCodes.maxUses} IS NULL OR ${promoCodes.usedCount} < ${promoCodes.maxUses})`,
        sql`${TERMS} = ${version}`,
      ),
    )
    .returning({ code: promoCodes.code });
  return updated.length === 1;
}

/** Adds an interval to an instant in UTC, whatever the connection's time zone; month ends clamp. */
export function addInterval(instant: SQL, interval: SQL): SQL {
  return sql`(${instant} AT TIME ZONE 'UTC' + ${interval}) AT TIME ZONE 'UTC'`;
}

/** When a grant made in this transaction expires (spec §9); as text, because a Date would lose the microseconds. */
export const GRANT_EXPIRY = addInterval(
  sql`now()`,
  sql`CASE WHEN ${promoCodes.durationType} = 'forever' THEN interval '100 years'
    ELSE make_interval(months => coalesce(${promoCodes.durationMonths}, 1)) END`,
) as SQL<string>;

/** What redeeming has decided by, to notice that it was changed meanwhile. */
const TERMS = sql<string>`concat_ws(' ', coalesce(${promoCodes.tier}, '-'), ${promoCodes.durationType},
  ${promoCodes.durationMonths}, ${promoCodes.confirmedOnly})`;

/** The user's earlier redemption of the code, `null` when there is none; invalid once its grant is no longer live. */
export async function findRedemption(
  db: Queryable,
  userId: string,
  code: string,
): Promise<Redemption | null> {
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
