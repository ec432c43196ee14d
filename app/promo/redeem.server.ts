import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { isUniqueViolation } from "../db/constraint-errors.server.ts";
import { prepareStatement } from "../db/prepared.server.ts";
import { isLostName } from "../db/statement-names.server.ts";
import { noteEvent } from "../telemetry/events.ts";
import { lookAtCode, TERMS } from "./code-terms.server.ts";
import { hashMailbox } from "./once-per-person.server.ts";
import type { Redemption } from "./redemption.ts";
import {
  canApply,
  effectOfGrant,
  isRedeemable,
  normalisePromoCode,
  PROMO_MESSAGES,
  tierOfRedemption,
} from "./rules.ts";
import { grants, promoCodes } from "./schema.ts";

type Secrets = Pick<Config, "authSecret">;
type Input = { code: string; tier?: unknown; confirmed?: string };
type Owner = { id: string; email: string; emailVerified: boolean };

const refusal = (message: string): Redemption => ({ ok: false, message });

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
  { db, config }: { db: Database; config: Secrets },
  userId: string | null,
  input: Input,
): Promise<Redemption> {
  const code = normalisePromoCode(input.code);
  if (code === "") return refusal(PROMO_MESSAGES.empty);
  if (userId === null) return refusal(PROMO_MESSAGES.signedOut);
  try {
    return await db.transaction(async (tx) => {
      const [owner] = await lockOwner(tx, { userId });
      return owner ? redeem(tx, config, owner, { ...input, code }) : refusal(PROMO_MESSAGES.signedOut);
    });
  } catch (error) {
    // Another spelling of the mailbox was a moment earlier. The use was taken back with the transaction.
    if (isUniqueViolation(error, "grants_mailbox_hash_unique")) return refusal(PROMO_MESSAGES.invalid);
    // Behind a pooler that keeps no prepared statements: nothing was done, and from now on none is prepared.
    if (isLostName(error)) return redeemPromoCode({ db, config }, userId, input);
    throw error;
  }
}

/** @param isAgain whether the code was there a moment ago, and could not be redeemed as it was */
async function redeem(
  tx: Queryable,
  secrets: Secrets,
  owner: Owner,
  input: Input,
  isAgain = false,
): Promise<Redemption> {
  const { code } = input;
  const promo = await lookAtCode(tx, secrets, code, owner);
  if (!promo) return refusal(isAgain ? PROMO_MESSAGES.gone : PROMO_MESSAGES.invalid);
  const { earlier, now, endsAt, terms } = promo;
  if (earlier?.isLive)
    return { ok: true, tier: earlier.tier, code, expiresAt: earlier.expiresAt, isRepeat: true };
  if (earlier || promo.isUsedByThem || !isRedeemable(promo, now)) return refusal(PROMO_MESSAGES.invalid);
  if (promo.confirmedOnly && !owner.emailVerified) return refusal(PROMO_MESSAGES.unconfirmed);

  const tier = tierOfRedemption(promo, input.tier);
  const expiresAt = new Date(endsAt);
  const effect = effectOfGrant({ tier, expiresAt }, promo.held, now);
  if (effect.kind !== "applies" && !canApply(effect, input.confirmed)) {
    const follows = effect.kind === "follows";
    return { ok: false, unused: { code, tier, expiresAt, held: effect.held, follows } };
  }
  const mailboxHash = promo.oncePerMailbox ? hashMailbox(secrets, code, owner.email) : null;
  const given = { id: randomUUID(), userId: owner.id, code, tier, endsAt, mailboxHash, terms };
  const [grant] = await countAndGrant(tx, given);
  // Since it was looked at, others have taken its last use, or the operator has changed it: it is as they left it.
  if (!grant) return redeem(tx, secrets, owner, input, true);
  noteEvent(tx, { event: "redeemed", userId: owner.id, grantId: grant.id });
  return { ok: true, tier, code, expiresAt, isRepeat: false };
}

/** Serializes a user's redemptions: until the commit the account can neither be deleted nor change its address. */
const lockOwner = prepareStatement<Owner, "userId">(
  "lock_owner",
  () => sql`SELECT id, email, email_verified AS "emailVerified" FROM "user"
    WHERE id = ${sql.placeholder("userId")} FOR UPDATE`,
);

const given = <Name extends string>(name: Name) => sql.placeholder(name);

/**
 * Counts a use and inserts its grant, if the code can be redeemed at this very moment and still by the terms that were looked at. In one
 * statement, because everybody else who redeems the code waits from here to the commit.
 */
const countAndGrant = prepareStatement<
  { id: string },
  "id" | "userId" | "code" | "tier" | "endsAt" | "mailboxHash" | "terms"
>(
  "count_and_grant",
  () => sql`
    WITH counted AS (
      UPDATE ${promoCodes} SET used_count = used_count + 1
      WHERE code = ${given("code")} AND active AND (max_uses IS NULL OR used_count < max_uses)
        AND (starts_at IS NULL OR starts_at <= clock_timestamp())
        AND (expires_at IS NULL OR expires_at > clock_timestamp()) AND ${TERMS} = ${given("terms")}
      RETURNING code
    )
    INSERT INTO ${grants} (id, user_id, tier, source, promo_code, expires_at, mailbox_hash)
    SELECT ${given("id")}, ${given("userId")}, ${given("tier")}, 'promo', code, ${given("endsAt")}::timestamptz,
      ${given("mailboxHash")}
    FROM counted RETURNING id`,
);
