import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { lockUser } from "../auth/users.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { isUniqueViolation } from "../db/constraint-errors.server.ts";
import { prepareStatement } from "../db/prepare.server.ts";
import type { Tier } from "../entitlements/tiers.ts";
import type { Entitlement } from "../entitlements/waiting-grants.ts";
import { type Failure, failure } from "../http/errors.ts";
import { noteEvent } from "../telemetry/events.ts";
import { hashAddress, hashMailbox } from "./once-per-person.server.ts";
import {
  canApply,
  effectOfGrant,
  isRedeemable,
  normalizePromoCode,
  PROMO_CODE_MAX_LENGTH,
  PROMO_MESSAGES,
  type PromoEffect,
  tierOfRedemption,
} from "./rules.ts";
import type { promoCodes } from "./schema.ts";

type Secrets = Pick<Config, "authSecret" | "authSecrets">;
type Input = { code: string; tier?: unknown; confirmed?: string };
/** A grant, `isRepeat` if it was redeemed earlier; a code left unused; or a failure: 400 for a wrong code. */
export type Redemption =
  | ({ ok: true; isRepeat: boolean } & RedeemedPlan)
  | { ok: false; unused: RedeemedPlan & Exclude<PromoEffect, { kind: "applies" }> }
  | Failure;
type RedeemedPlan = { code: string; tier: Tier; expiresAt: Date };
type Redeemer = { id: string; email: string; emailVerified: boolean };

/**
 * Counts a use and inserts a grant in one transaction; the same user again gets that grant. A code that adds nothing is left unused,
 * and so is one that only follows, until the user agrees (decision 0031). Failures: the messages of spec §5.
 * @param input.confirmed the start the user has agreed to: see `canApply`
 */
export async function redeemPromoCode(
  { db, config }: { db: Database; config: Secrets },
  userId: string,
  input: Input,
): Promise<Redemption> {
  const code = normalizePromoCode(input.code);
  if (code === "") return failure(400, PROMO_MESSAGES.empty);
  try {
    return await db.transaction(async (tx) => {
      // Until the commit the account can neither be deleted nor change its address, nor redeem another code.
      const owner = await lockUser(tx, userId);
      return owner ? redeem(tx, config, owner, { ...input, code }) : failure(401, PROMO_MESSAGES.signedOut);
    });
  } catch (error) {
    // Another spelling of the mailbox was first. The transaction took the use back.
    if (isUniqueViolation(error, "grants_mailbox_hash_unique")) return failure(400, PROMO_MESSAGES.invalid);
    throw error;
  }
}

/** @param isAgain on a second look, after the code was changed or used up between the first look and its use */
async function redeem(
  tx: Queryable,
  secrets: Secrets,
  owner: Redeemer,
  input: Input,
  isAgain = false,
): Promise<Redemption> {
  const { code } = input;
  const promo = await lookAtCode(tx, secrets, code, owner);
  if (!promo) return failure(400, isAgain ? PROMO_MESSAGES.gone : PROMO_MESSAGES.invalid);
  const { earlier, now, endsAt, terms } = promo;
  if (earlier?.isLive)
    return { ok: true, tier: earlier.tier, code, expiresAt: earlier.expiresAt, isRepeat: true };
  if (earlier || promo.isUsedByAddress || !isRedeemable(promo, now))
    return failure(400, PROMO_MESSAGES.invalid);
  if (promo.confirmedOnly && !owner.emailVerified) return failure(403, PROMO_MESSAGES.unconfirmed);

  const tier = tierOfRedemption(promo, input.tier);
  const expiresAt = new Date(endsAt);
  const effect = effectOfGrant({ tier, expiresAt }, promo.entitlements, now);
  if (effect.kind !== "applies" && !canApply(effect, input.confirmed))
    return { ok: false, unused: { code, tier, expiresAt, ...effect } };
  const mailboxHash = promo.oncePerMailbox ? hashMailbox(secrets.authSecret, code, owner.email) : null;
  const grant = { id: randomUUID(), userId: owner.id, code, tier, endsAt, mailboxHash, terms };
  const made = await countAndGrant(tx, grant);
  // Its last use was taken, or the operator has changed it.
  if (made.length === 0) return redeem(tx, secrets, owner, input, true);
  noteEvent(tx, { event: "redeemed", userId: owner.id, grantId: grant.id });
  return { ok: true, tier, code, expiresAt, isRepeat: false };
}

/** In UTC, whatever the connection's time zone; month ends clamp. */
export function addInterval(instant: SQL, interval: SQL): SQL {
  return sql`(${instant} AT TIME ZONE 'UTC' + ${interval}) AT TIME ZONE 'UTC'`;
}

/** Spec §9. */
const GRANT_EXPIRY = addInterval(
  sql`now()`,
  sql`CASE WHEN promo_codes.duration_type = 'forever' THEN interval '100 years'
    ELSE make_interval(months => coalesce(promo_codes.duration_months, 1)) END`,
);

/** Compared when a use is counted, as an operator may have edited them since the code was looked at. */
const TERMS = sql<string>`concat_ws(' ', coalesce(promo_codes.tier, '-'), promo_codes.duration_type,
  promo_codes.duration_months, promo_codes.confirmed_only, promo_codes.once_per_mailbox)`;

const param = sql.placeholder;

type Look = Omit<typeof promoCodes.$inferSelect, "startsAt" | "expiresAt"> & {
  startsAt: string | null;
  expiresAt: string | null;
  now: string;
  endsAt: string;
  terms: string;
  earlier: { tier: Tier; expiresAt: string; isLive: boolean } | null;
  isUsedByAddress: boolean;
  entitlements: (Omit<Entitlement, "expiresAt"> & { expiresAt: string })[];
};

// IS TRUE keeps the planner from looking among all grants of the code, which seem as few as those of the user.
const look = prepareStatement<Look, "code" | "userId" | "addressHashes" | "mailboxHashes">(
  "look_at_code",
  sql`SELECT code, tier, starts_at AS "startsAt", promo_codes.expires_at AS "expiresAt", max_uses AS "maxUses",
      used_count AS "usedCount", active, confirmed_only AS "confirmedOnly", once_per_mailbox AS "oncePerMailbox",
      duration_type AS "durationType", duration_months AS "durationMonths",
      clock_timestamp() AS now, ${GRANT_EXPIRY} AS "endsAt", ${TERMS} AS terms,
      (SELECT json_build_object('tier', tier, 'expiresAt', expires_at, 'isLive', revoked_at IS NULL AND expires_at > now())
        FROM grants WHERE user_id = ${param("userId")} AND (promo_code = ${param("code")}) IS TRUE) AS earlier,
      EXISTS (
        SELECT FROM redeemed_addresses WHERE promo_code = ${param("code")} AND email_hash = ANY (${param("addressHashes")}::text[])
      ) OR once_per_mailbox AND EXISTS (
        SELECT FROM grants WHERE mailbox_hash = ANY (${param("mailboxHashes")}::text[])
      ) AS "isUsedByAddress",
      (SELECT coalesce(json_agg(json_build_object('tier', tier, 'source', source, 'promoCode', promo_code, 'expiresAt', expires_at,
          'renews', renews)), '[]')
        FROM held_plans WHERE user_id = ${param("userId")}) AS entitlements
    FROM promo_codes WHERE code = ${param("code")}`,
);

/** `endsAt` is when a grant made now ends, as text, because a Date would lose the microseconds. */
export async function lookAtCode(
  db: Queryable,
  { authSecrets }: Pick<Config, "authSecrets">,
  code: string,
  user: { id: string; email: string } | null,
) {
  // Codes cannot be longer, and the database takes no control characters.
  if (code === "" || code.length > PROMO_CODE_MAX_LENGTH || /\p{Cc}/u.test(code)) return null;
  const [found] = await look(db, {
    code,
    userId: user?.id ?? null,
    addressHashes: user && authSecrets.map((secret) => hashAddress(secret, code, user.email)),
    mailboxHashes: user && authSecrets.map((secret) => hashMailbox(secret, code, user.email)),
  });
  if (!found) return null;
  const { startsAt, expiresAt, earlier } = found;
  return {
    ...found,
    startsAt: startsAt === null ? null : new Date(startsAt),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    now: new Date(found.now),
    earlier: earlier && { ...earlier, expiresAt: new Date(earlier.expiresAt) },
    entitlements: found.entitlements.map((plan) => ({ ...plan, expiresAt: new Date(plan.expiresAt) })),
  };
}

/** By the terms that were looked at. One statement, because others wait from here to the commit. */
const countAndGrant = prepareStatement<
  { id: string },
  "id" | "userId" | "code" | "tier" | "endsAt" | "mailboxHash" | "terms"
>(
  "count_and_grant",
  sql`WITH counted AS (
      UPDATE promo_codes SET used_count = used_count + 1
      WHERE code = ${param("code")} AND active AND (max_uses IS NULL OR used_count < max_uses)
        AND (starts_at IS NULL OR starts_at <= clock_timestamp())
        AND (expires_at IS NULL OR expires_at > clock_timestamp()) AND ${TERMS} = ${param("terms")}
      RETURNING code
    )
    INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at, mailbox_hash)
    SELECT ${param("id")}, ${param("userId")}, ${param("tier")}, 'promo', code, ${param("endsAt")}::timestamptz,
      ${param("mailboxHash")}
    FROM counted RETURNING id`,
);
