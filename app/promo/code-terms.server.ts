import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../config/config.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { prepareStatement } from "../db/prepared.server.ts";
import { heldPlansPart } from "../entitlements/subscription.server.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { hashAddress, hashMailbox } from "./once-per-person.server.ts";
import { PROMO_CODE_MAX_LENGTH } from "./rules.ts";
import { promoCodes } from "./schema.ts";

/** Adds an interval to an instant in UTC, whatever the connection's time zone; month ends clamp. */
export function addInterval(instant: SQL, interval: SQL): SQL {
  return sql`(${instant} AT TIME ZONE 'UTC' + ${interval}) AT TIME ZONE 'UTC'`;
}

/** When a grant made in this transaction expires (spec §9). */
const GRANT_EXPIRY = addInterval(
  sql`now()`,
  sql`CASE WHEN ${promoCodes.durationType} = 'forever' THEN interval '100 years'
    ELSE make_interval(months => coalesce(${promoCodes.durationMonths}, 1)) END`,
);

/** What redeeming has decided by, to notice that it was changed meanwhile. */
export const TERMS = sql`concat_ws(' ', coalesce(${promoCodes.tier}, '-'), ${promoCodes.durationType},
  ${promoCodes.durationMonths}, ${promoCodes.confirmedOnly}, ${promoCodes.oncePerMailbox})`;

type Look = Omit<typeof promoCodes.$inferSelect, "startsAt" | "expiresAt"> & {
  startsAt: string | null;
  expiresAt: string | null;
  now: string;
  endsAt: string;
  terms: string;
  earlier: { tier: Tier; expiresAt: string; isLive: boolean } | null;
  isUsedByThem: boolean;
  held: unknown;
};

const [code, userId] = [sql.placeholder("code"), sql.placeholder("userId")];
const HELD = heldPlansPart(userId);

// Prepared: planning it takes longer than running it. IS TRUE keeps the planner from looking among all grants of the code, which seem as
// few as those of the user.
const look = prepareStatement<Look, "code" | "userId" | "addressHash" | "mailboxHash">(
  "look_at_code",
  () => sql`
    SELECT code, tier, starts_at AS "startsAt", promo_codes.expires_at AS "expiresAt", max_uses AS "maxUses",
      used_count AS "usedCount", active, confirmed_only AS "confirmedOnly", once_per_mailbox AS "oncePerMailbox",
      duration_type AS "durationType", duration_months AS "durationMonths",
      clock_timestamp() AS now, ${GRANT_EXPIRY} AS "endsAt", ${TERMS} AS terms, ${HELD.sql} AS held,
      (SELECT json_build_object('tier', tier, 'expiresAt', expires_at, 'isLive', revoked_at IS NULL AND expires_at > now())
        FROM grants WHERE user_id = ${userId} AND (promo_code = ${code}) IS TRUE) AS earlier,
      EXISTS (
        SELECT FROM redeemed_addresses WHERE promo_code = ${code} AND email_hash = ${sql.placeholder("addressHash")}
      ) OR once_per_mailbox AND EXISTS (
        SELECT FROM grants WHERE mailbox_hash = ${sql.placeholder("mailboxHash")}
      ) AS "isUsedByThem"
    FROM ${promoCodes} WHERE code = ${code}`,
);

/**
 * A code as it is now, and what is known of somebody who wants it: what they redeemed it for before, whether an earlier account of
 * theirs or another spelling of their address did, and the plans they hold.
 *
 * @returns `null` when there is no such code; `endsAt` is when a grant made now ends, as text, because a Date would lose the microseconds
 */
export async function lookAtCode(
  db: Queryable,
  secrets: Pick<Config, "authSecret">,
  code: string,
  user: { id: string; email: string } | null,
) {
  // No longer code can be created, and the database takes no control characters.
  if (code === "" || code.length > PROMO_CODE_MAX_LENGTH || /\p{Cc}/u.test(code)) return null;
  const [found] = await look(db, {
    code,
    userId: user?.id ?? null,
    addressHash: user && hashAddress(secrets, code, user.email),
    mailboxHash: user && hashMailbox(secrets, code, user.email),
  });
  if (!found) return null;
  const { startsAt, expiresAt, earlier, held, ...as } = found;
  return {
    ...as,
    startsAt: startsAt === null ? null : new Date(startsAt),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    now: new Date(found.now),
    earlier: earlier && { ...earlier, expiresAt: new Date(earlier.expiresAt) },
    held: HELD.read(held),
  };
}
