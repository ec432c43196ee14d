import type { NotingApp } from "../auth/refusals.server.ts";
import type { SignedInUser } from "../auth/sessions.server.ts";
import type { HeldPlan } from "../entitlements/other-plans.ts";
import { includesTier } from "../entitlements/tiers.ts";
import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { CheckedCode, CodeEffect } from "./checked-code.ts";
import { lookAtCode } from "./code-terms.server.ts";
import { withinGuesses } from "./guessing.server.ts";
import {
  effectOfGrant,
  isRedeemable,
  normalisePromoCode,
  PROMO_MESSAGES,
  tierOfRedemption,
} from "./rules.ts";

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
    const checked = await lookAtCodeFor(app, user, input);
    return checked ? { ok: true as const, checked } : failure(400, PROMO_MESSAGES.invalid);
  });
}

/** @returns `null` for a code that this user, or nobody, can redeem */
async function lookAtCodeFor(
  { config, db }: Pick<App, "config" | "db">,
  user: Asker | null,
  input: { code: string; tier?: unknown },
): Promise<CheckedCode | null> {
  const code = normalisePromoCode(input.code);
  const promo = await lookAtCode(db, config, code, user);
  if (!promo) return null;
  const { now, endsAt, earlier, held } = promo;
  const terms = {
    code,
    tier: promo.tier,
    months: promo.durationType === "forever" ? null : (promo.durationMonths ?? 1),
    redeemableUntil: promo.expiresAt,
    needsConfirmation: promo.confirmedOnly && !user?.emailVerified,
  };
  if (earlier) {
    if (!earlier.isLive) return null;
    const effect = { kind: "repeat", tier: earlier.tier, expiresAt: earlier.expiresAt } as const;
    return { ...terms, needsConfirmation: false, effect };
  }
  if (promo.isUsedByThem || !isRedeemable(promo, now)) return null;
  if (!user) return { ...terms, effect: null };
  const grant = { tier: tierOfRedemption(promo, input.tier), expiresAt: new Date(endsAt) };
  return { ...terms, effect: effectFor(held, grant, now) };
}

function effectFor(
  plans: readonly HeldPlan[],
  grant: Pick<HeldPlan, "tier" | "expiresAt">,
  now: Date,
): CodeEffect {
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
