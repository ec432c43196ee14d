import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../config/config.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { givenRows, prepareStatement } from "../db/prepared.server.ts";
import type { HeldPlan } from "../entitlements/other-plans.ts";
import { heldPlansPart } from "../entitlements/subscription.server.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { GRANT_EXPIRY, TERMS } from "./code-terms.server.ts";
import { hashAddress, hashMailbox } from "./once-per-person.server.ts";
import type { EarlierGrant } from "./redemption.ts";
import type { PromoCode } from "./rules.ts";
import { grants, promoCodes } from "./schema.ts";

/** Somebody who wants to redeem a code. */
export interface Attempt {
  secrets: Pick<Config, "authSecret">;
  userId: string;
  /** As it is stored. */
  code: string;
  chosenTier: unknown;
  confirmed: string | undefined;
}

/** An attempt whose user is locked. */
export interface OwnedAttempt {
  attempt: Attempt;
  owner: { email: string; emailVerified: boolean };
}

/**
 * The attempts as rows of `number`, `user_id` and `code`, with the hashes of their addresses, and their codes: found one by one, since
 * for a join all codes would be read as long as there are only some thousands.
 */
const WANTED = sql`${givenRows({ userIds: "text", codes: "text", addressHashes: "text", mailboxHashes: "text" })} AS wanted (user_id, code, address_hash, mailbox_hash, number)
  LEFT JOIN LATERAL (SELECT * FROM promo_codes WHERE promo_codes.code = wanted.code OFFSET 0) AS promo_codes ON true`;

interface Hashes {
  addressHashes: readonly string[];
  mailboxHashes: readonly string[];
}

const NO_HASHES: Hashes = { addressHashes: [], mailboxHashes: [] };

function asGiven(attempts: readonly Attempt[], hashes = NO_HASHES) {
  return {
    userIds: attempts.map(({ userId }) => userId),
    codes: attempts.map(({ code }) => code),
    ...hashes,
  };
}

/**
 * Whether a grant is what a user's redemption of a code made: looked for among the user's few grants. IS TRUE keeps the planner
 * from looking among all of the code's, which seem as few while the codes it has statistics of were redeemed once each.
 */
export const isRedemption = (userId: SQL | string, code: SQL | string) =>
  sql`${grants.userId} = ${userId} AND (${grants.promoCode} = ${code}) IS TRUE`;

/** The grant of an earlier redemption by the same user, or `null`. */
const EARLIER = sql`(
  SELECT json_build_object('tier', tier, 'expiresAt', expires_at, 'isLive', revoked_at IS NULL AND expires_at > now())
  FROM grants WHERE ${isRedemption(sql`wanted.user_id`, sql`wanted.code`)}) AS earlier`;

interface Look {
  /** `null`: there is no such code. */
  promo: PromoCode | null;
  now: Date;
  earlier: EarlierGrant | null;
}

const look = prepareStatement<
  {
    code: string | null;
    active: boolean;
    starts_at: string | null;
    expires_at: string | null;
    max_uses: number | null;
    used_count: number;
    now: string;
    earlier: EarlierGrant | null;
  },
  keyof ReturnType<typeof asGiven>
>(
  "redeem_look",
  () => sql`SELECT ${promoCodes.code}, ${promoCodes.active}, ${promoCodes.startsAt}, ${promoCodes.expiresAt},
      ${promoCodes.maxUses}, ${promoCodes.usedCount}, now(), ${EARLIER}
    FROM ${WANTED} ORDER BY number`,
);

/** Codes as they are now, and their users' earlier redemptions, in one snapshot: a last use of one's own has its grant. */
export async function lookAtCodes(
  db: Queryable,
  attempts: readonly Attempt[],
): Promise<(readonly [Attempt, Look])[]> {
  const rows = await look(db, asGiven(attempts));
  return attempts.map((attempt, index) => {
    const row = rows[index];
    if (!row) throw new Error("every attempt has a row");
    const { code, active, max_uses: maxUses, used_count: usedCount, now, earlier } = row;
    const promo = code === null ? null : { code, tier: null, active, maxUses, usedCount, ...windowOf(row) };
    return [attempt, { promo, now: new Date(now), earlier }] as const;
  });
}

function windowOf(row: { starts_at: string | null; expires_at: string | null }) {
  const [startsAt, expiresAt] = [row.starts_at, row.expires_at].map((at) =>
    at === null ? null : new Date(at),
  );
  return { startsAt: startsAt ?? null, expiresAt: expiresAt ?? null };
}

/** What decides an attempt, besides its user. */
export type Facts = {
  /** `null`: there is no such code. */
  code: string | null;
  tier: Tier | null;
  confirmed_only: boolean;
  now: string;
  /** When a grant made now ends; as text, because a Date would lose the microseconds. */
  ends_at: string;
  /** The terms: see `TERMS`. */
  version: string;
  earlier: EarlierGrant | null;
  held: HeldPlan[];
  /** Whether the code was redeemed by an earlier account with this address. */
  is_remembered: boolean;
  /** What the grant keeps; `null`: the code is not once per mailbox. */
  mailbox_hash: string | null;
  /** Whether the code is once per mailbox, and was redeemed with a spelling of this address. */
  is_mailbox_used: boolean;
};

const HELD = heldPlansPart(sql`wanted.user_id`);

const decisive = prepareStatement<Omit<Facts, "held"> & { held: unknown }, keyof ReturnType<typeof asGiven>>(
  "redeem_facts",
  () => sql`SELECT ${promoCodes.code}, ${promoCodes.tier}, ${promoCodes.confirmedOnly}, now(),
      ${GRANT_EXPIRY} AS ends_at,
      ${TERMS} AS version, ${EARLIER}, ${HELD.sql} AS held,
      EXISTS (
        SELECT FROM redeemed_addresses WHERE promo_code = wanted.code AND email_hash = wanted.address_hash
      ) AS is_remembered,
      CASE WHEN ${promoCodes.oncePerMailbox} THEN wanted.mailbox_hash END AS mailbox_hash,
      ${promoCodes.oncePerMailbox} IS TRUE AND EXISTS (
        SELECT FROM grants WHERE grants.mailbox_hash = wanted.mailbox_hash
      ) AS is_mailbox_used
    FROM ${WANTED} ORDER BY number`,
);

/** @param attempts with their users locked before, so that nothing of theirs changes any more. @returns in their order */
export async function readFacts(tx: Queryable, attempts: readonly OwnedAttempt[]): Promise<Facts[]> {
  const hashAll = (hash: typeof hashAddress) =>
    attempts.map(({ attempt: { secrets, code }, owner }) => hash(secrets, code, owner.email));
  const rows = await decisive(
    tx,
    asGiven(
      attempts.map(({ attempt }) => attempt),
      { addressHashes: hashAll(hashAddress), mailboxHashes: hashAll(hashMailbox) },
    ),
  );
  return rows.map((row) => ({ ...row, held: HELD.read(row.held) }));
}
