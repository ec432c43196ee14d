import { eq, sql } from "drizzle-orm";
import type { NotingApp } from "../auth/refusals.server.ts";
import type { SignedInUser } from "../auth/sessions.server.ts";
import type { Queryable } from "../db/client.server.ts";
import type { HeldPlan } from "../entitlements/other-plans.ts";
import { listHeldPlans } from "../entitlements/subscription.server.ts";
import { includesTier } from "../entitlements/tiers.ts";
import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { CheckedCode, CodeEffect } from "./checked-code.ts";
import { GRANT_EXPIRY } from "./code-terms.server.ts";
import { withinGuesses } from "./guessing.server.ts";
import { isAddressRemembered, isMailboxUsed } from "./once-per-person.server.ts";
import { isRedemption } from "./redeem-facts.server.ts";
import { type Redemption, redemptionOf } from "./redemption.ts";
import {
  effectOfGrant,
  isRedeemable,
  normalisePromoCode,
  PROMO_CODE_MAX_LENGTH,
  PROMO_MESSAGES,
  tierOfRedemption,
} from "./rules.ts";
import { grants, promoCodes } from "./schema.ts";

/** Who asks, as far as it matters. */
type Asker = Pick<SignedInUser, "id" | "email" | "emailVerified">;

/**
 * What a code would do, without using it. Signed-out visitors learn what the code gives and until when it can be used;
 * users also what it would do beside what they have.
 *
 * @param input.tier the user's choice; ignored when the code has a tier of its own
 * @returns the code; or 400 with the message of spec §5, or 429 past the limits for redeeming, which count wrong codes
 */
export async function checkPromoCode(
  app: NotingApp & Pick<App, "db">,
  client: string,
  user: Asker | null,
  input: { code: string; tier?: unknown },
): Promise<{ ok: true; checked: CheckedCode } | Failure> {
  if (normalisePromoCode(input.code) === "") return failure(400, PROMO_MESSAGES.empty);
  return withinGuesses(app, { user, client }, async () => {
    const checked = await lookAtCode(app, user, input);
    return checked ? { ok: true as const, checked } : failure(400, PROMO_MESSAGES.invalid);
  });
}

/** @returns `null` for a code that this user, or nobody, can redeem */
async function lookAtCode(
  { config, db }: Pick<App, "config" | "db">,
  user: Asker | null,
  input: { code: string; tier?: unknown },
): Promise<CheckedCode | null> {
  const code = normalisePromoCode(input.code);
  if (code.length > PROMO_CODE_MAX_LENGTH || /\p{Cc}/u.test(code)) return null;
  const [found] = await db
    .select({ promo: promoCodes, now: sql<string>`now()`, endsAt: GRANT_EXPIRY })
    .from(promoCodes)
    .where(eq(promoCodes.code, code));
  if (!found) return null;
  const { promo, now, endsAt } = found;
  const terms = {
    code,
    tier: promo.tier,
    months: promo.durationType === "forever" ? null : (promo.durationMonths ?? 1),
    redeemableUntil: promo.expiresAt,
    needsConfirmation: promo.confirmedOnly && !user?.emailVerified,
  };
  const earlier = user && (await findRedemption(db, user.id, code));
  if (earlier) {
    if (!earlier.ok) return null;
    const effect = { kind: "repeat", tier: earlier.tier, expiresAt: earlier.expiresAt } as const;
    return { ...terms, needsConfirmation: false, effect };
  }
  if (!isRedeemable(promo, new Date(now))) return null;
  if (!user) return { ...terms, effect: null };
  if (await isAddressRemembered(db, config, code, user.email)) return null;
  if (promo.oncePerMailbox && (await isMailboxUsed(db, config, code, user.email))) return null;
  const grant = { tier: tierOfRedemption(promo, input.tier), expiresAt: new Date(endsAt) };
  return { ...terms, effect: await effectFor(db, user.id, grant, new Date(now)) };
}

async function effectFor(
  db: Queryable,
  userId: string,
  grant: Pick<HeldPlan, "tier" | "expiresAt">,
  now: Date,
): Promise<CodeEffect> {
  const plans = await listHeldPlans(db, userId);
  const effect = effectOfGrant(grant, plans, now);
  if (effect.kind !== "applies") return { ...effect, ...grant };
  // What is in force until now: whatever the code would come before.
  const [held] = plans.toSorted(
    (one, other) =>
      Number(includesTier(other.tier, one.tier)) - Number(includesTier(one.tier, other.tier)) ||
      other.expiresAt.getTime() - one.expiresAt.getTime(),
  );
  return { kind: "applies", ...grant, held: held ?? null };
}

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
    .where(isRedemption(userId, code));
  return grant ? redemptionOf(grant, code) : null;
}
