import { type NotingApp, noteIfRefused } from "../auth/tries.server.ts";
import type { SignedInUser } from "../auth/users.server.ts";
import { includesTier, isTier, type Tier } from "../entitlements/tiers.ts";
import type { Entitlement } from "../entitlements/waiting-grants.ts";
import type { App, RequestState } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { toFailure } from "../http/unavailable.server.ts";
import { type TooManyRequests, withLimits } from "../limits/rate-limit.server.ts";
import { PROMO_LIMITS } from "./limits.ts";
import { lookAtCode } from "./redeem.server.ts";
import {
  effectOfGrant,
  isRedeemable,
  normalizePromoCode,
  PROMO_INPUT_MAX_LENGTH,
  PROMO_MESSAGES,
  tierOfRedemption,
} from "./rules.ts";

/** Within the limits on wrong codes. @param work succeeds when it is not a guess */
export async function withinGuesses<Done extends { ok: boolean; status?: number }>(
  app: NotingApp & Pick<App, "db">,
  { user, client }: { user: { id: string; email: string } | null; client: string },
  work: () => Promise<Done>,
): Promise<Done | TooManyRequests> {
  const byUser = user === null ? [] : [{ limit: PROMO_LIMITS.promoByUser, who: user.id }];
  const done = await withLimits(app, [...byUser, { limit: PROMO_LIMITS.promoByClient, who: client }], work);
  return noteIfRefused(app, done, REASONS, { email: user?.email ?? null, client });
}

const REASONS = { wrong: "wrong_promo_code", limited: "promo_code_limited" } as const;

const NOT_CHECKED = "We couldn’t check this code just now. You can still apply it.";

/** `null` without a code in the URL, and after a form of the same request was answered. */
export async function answerAboutLink(
  app: NotingApp & Pick<App, "db">,
  state: Pick<RequestState, "id" | "client" | "isCodeJudged">,
  user: SignedInUser | null,
  code: string | null,
  tier?: unknown,
) {
  return code === null || state.isCodeJudged ? null : answerAbout(app, state, user, { code, tier });
}

/** Renders even when the code could not be checked. */
export async function answerAbout(
  app: NotingApp & Pick<App, "db">,
  state: Pick<RequestState, "id" | "client">,
  user: SignedInUser | null,
  question: Question,
) {
  const { typed, chosen } = readQuestion(question);
  const result = await checkPromoCode(app, state.client, user, { code: typed, tier: chosen }).catch(
    (error: unknown) => toFailure({ app, state }, error, "a promo code could not be checked", NOT_CHECKED),
  );
  return result.ok
    ? { typed, chosen, checked: result.checked, message: null }
    : refusalAbout(question, result);
}

export function refusalAbout(question: Question, { message }: Pick<Failure, "message">) {
  return { ...readQuestion(question), checked: null, message };
}

interface Question {
  code: string;
  tier?: unknown;
}

function readQuestion({ code, tier }: Question) {
  const chosen: Tier = isTier(tier) ? tier : "basic";
  return { typed: code.slice(0, PROMO_INPUT_MAX_LENGTH + 1), chosen };
}

type Viewer = Pick<SignedInUser, "id" | "email" | "emailVerified">;

/** What a code would do, without using it. Failures: 400 the message of spec §5; 429 too many wrong codes. */
export async function checkPromoCode(
  app: NotingApp & Pick<App, "db">,
  client: string,
  user: Viewer | null,
  input: Question,
) {
  if (normalizePromoCode(input.code) === "") return failure(400, PROMO_MESSAGES.empty);
  return withinGuesses(app, { user, client }, async () => {
    const checked = await lookAtCodeFor(app, user, input);
    return checked ? { ok: true as const, checked } : failure(400, PROMO_MESSAGES.invalid);
  });
}

/** @returns `null`: it cannot be redeemed by this user, or at all */
async function lookAtCodeFor(
  { config, db }: Pick<App, "config" | "db">,
  user: Viewer | null,
  input: Question,
) {
  const code = normalizePromoCode(input.code);
  const promo = await lookAtCode(db, config, code, user);
  if (!promo) return null;
  const { now, endsAt, earlier, entitlements } = promo;
  const terms = {
    code,
    /** `null`: the user chooses. */
    tier: promo.tier,
    /** `null`: forever. */
    months: promo.durationType === "forever" ? null : (promo.durationMonths ?? 1),
    redeemableUntil: promo.expiresAt,
    needsConfirmation: promo.confirmedOnly && !user?.emailVerified,
  };
  if (earlier) {
    if (!earlier.isLive) return null;
    const effect = { kind: "repeat", tier: earlier.tier, expiresAt: earlier.expiresAt } as const;
    return { ...terms, needsConfirmation: false, effect };
  }
  if (promo.isUsedByAddress || !isRedeemable(promo, now)) return null;
  // What it would do depends on the user's plans.
  if (!user) return { ...terms, effect: null };
  const grant = { tier: tierOfRedemption(promo, input.tier), expiresAt: new Date(endsAt) };
  return { ...terms, effect: effectFor(entitlements, grant, now) };
}

/** `tier` is given until `expiresAt`, if the code is used now. */
function effectFor(plans: readonly Entitlement[], grant: Pick<Entitlement, "tier" | "expiresAt">, now: Date) {
  const effect = effectOfGrant(grant, plans, now);
  if (effect.kind !== "applies") return { ...effect, ...grant };
  // The plan in force that the code would precede.
  const [current] = plans.toSorted(
    (one, other) =>
      Number(includesTier(other.tier, one.tier)) - Number(includesTier(one.tier, other.tier)) ||
      other.expiresAt.getTime() - one.expiresAt.getTime(),
  );
  return { kind: "applies" as const, ...grant, current: current ?? null };
}
