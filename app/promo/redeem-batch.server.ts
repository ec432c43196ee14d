import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { lockUsers } from "../auth/lock-user.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { type GivenTypes, givenLists, givenRows, prepareStatement } from "../db/prepared.server.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { TERMS } from "./code-terms.server.ts";
import {
  type Attempt,
  type Facts,
  lookAtCodes,
  type OwnedAttempt,
  readFacts,
} from "./redeem-facts.server.ts";
import { type Redemption, redemptionOf } from "./redemption.ts";
import { canApply, effectOfGrant, isRedeemable, PROMO_MESSAGES, tierOfRedemption } from "./rules.ts";

/** What came of an attempt, and the grant it made. */
export interface Outcome {
  redemption: Redemption;
  grantId?: string;
}

type Outcomes = Map<Attempt, Outcome>;

/**
 * What is settled. Of the others somebody else holds the code, has just changed it, or has just redeemed it with the mailbox of an
 * attempt in this batch: to be made with others of that code.
 */
interface Settled {
  outcomes: Outcomes;
  /** Those whose user is locked, or has another attempt in the same batch: to be made alone. */
  alone: ReadonlySet<Attempt>;
}

const refusal = (message: string): Outcome => ({ redemption: { ok: false, message } });

/** Whose locks a batch waits for: nobody's; for the one code that all its attempts are at; also for its only attempt's user. */
export type WaitsFor = "nothing" | "code" | "user";

/**
 * Redeems codes for several users in one transaction: the rules and the answers are those of `redeemPromoCode`, attempt by
 * attempt in their order. Resolves after the commit.
 *
 * A batch of several codes waits for nothing, and one that waits for a code has no other: so nobody is held up by another's
 * account or code, and no two transactions wait for each other.
 */
export async function redeemBatch(
  db: Database,
  attempts: readonly Attempt[],
  waitsFor: WaitsFor,
): Promise<Settled> {
  const looked = await lookAtAll(db, attempts);
  const others = attempts.filter((attempt) => !looked.has(attempt));
  if (others.length === 0) return { outcomes: looked, alone: new Set() };
  const { outcomes, alone } = await db.transaction((tx) => redeemAll(tx, others, waitsFor));
  return { outcomes: new Map([...looked, ...outcomes]), alone };
}

/** Answers those that need no lock: earlier redemptions, and codes that nobody can redeem. */
async function lookAtAll(db: Database, attempts: readonly Attempt[]): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  for (const [attempt, { promo, now, earlier }] of await lookAtCodes(db, attempts)) {
    if (earlier) outcomes.set(attempt, { redemption: redemptionOf(earlier, attempt.code) });
    else if (!promo || !isRedeemable(promo, now)) outcomes.set(attempt, refusal(PROMO_MESSAGES.invalid));
  }
  return outcomes;
}

async function redeemAll(tx: Queryable, attempts: readonly Attempt[], waitsFor: WaitsFor): Promise<Settled> {
  const outcomes: Outcomes = new Map();
  const isAlone = waitsFor === "user";
  // Serialises a user's redemptions; until the commit the account can neither be deleted nor change its address.
  const owners = await lockUsers(tx, [...new Set(attempts.map(({ userId }) => userId))], isAlone);
  const alone = new Set<Attempt>();
  const locked: OwnedAttempt[] = [];
  for (const attempt of attempts) {
    const owner = owners.get(attempt.userId);
    // Each user once: another attempt of theirs has to see what came of this one.
    owners.delete(attempt.userId);
    if (owner) locked.push({ attempt, owner });
    else if (isAlone) outcomes.set(attempt, refusal(PROMO_MESSAGES.signedOut));
    else alone.add(attempt);
  }
  await decideAndGrant(tx, locked, waitsFor !== "nothing", outcomes);
  return { outcomes, alone };
}

/** @param outcomes is added to, but unless `waits` not for all: see `Settled` */
async function decideAndGrant(
  tx: Queryable,
  attempts: readonly OwnedAttempt[],
  waits: boolean,
  outcomes: Outcomes,
): Promise<void> {
  if (attempts.length === 0) return;
  const facts = await readFacts(tx, attempts);
  const grants: PlannedGrant[] = [];
  for (const [index, { attempt, owner }] of attempts.entries()) {
    const decision = decide(attempt, owner, facts[index]);
    if ("redemption" in decision) outcomes.set(attempt, decision);
    else grants.push({ ...decision, attempt });
  }
  await grantAll(tx, grants, waits, outcomes);
  // Since it was read, the code has been changed, or redeemed with the mailbox of one of them. Now it is locked, and stays as it is.
  const others = attempts.filter(({ attempt }) => !outcomes.has(attempt));
  if (waits) await decideAndGrant(tx, others, waits, outcomes);
}

interface PlannedGrant {
  attempt: Attempt;
  tier: Tier;
  /** As text, because a Date would lose the microseconds. */
  endsAt: string;
  version: string;
  mailboxHash: string | null;
}

/** Whether a use is left, and whether these are still the code's terms, is decided by `grantAll`. */
function decide(
  { code, chosenTier, confirmed }: Attempt,
  owner: OwnedAttempt["owner"],
  facts: Facts | undefined,
): Outcome | Omit<PlannedGrant, "attempt"> {
  if (facts?.earlier) return { redemption: redemptionOf(facts.earlier, code) };
  if (facts?.is_remembered || facts?.is_mailbox_used) return refusal(PROMO_MESSAGES.invalid);
  if (!facts?.code) return refusal(PROMO_MESSAGES.gone);
  if (facts.confirmed_only && !owner.emailVerified) return refusal(PROMO_MESSAGES.unconfirmed);
  const tier = tierOfRedemption(facts, chosenTier);
  const expiresAt = new Date(facts.ends_at);
  const effect = effectOfGrant({ tier, expiresAt }, facts.held, new Date(facts.now));
  if (effect.kind === "applies" || canApply(effect, confirmed))
    return { tier, endsAt: facts.ends_at, version: facts.version, mailboxHash: facts.mailbox_hash };
  const unused = { code, tier, expiresAt, held: effect.held, follows: effect.kind === "follows" };
  return { redemption: { ok: false, unused } };
}

/**
 * Inserts as many grants as uses are left and counts them, in one statement: of each code the first that ask get it. A code
 * can be redeemed at this very moment or not, however long its row was waited for.
 *
 * @param outcomes is added to, but for those whose code is locked by others, gone or changed, or has a use left because another
 * grant has the mailbox of one of them
 */
async function grantAll(
  tx: Queryable,
  grants: readonly PlannedGrant[],
  waits: boolean,
  outcomes: Outcomes,
): Promise<void> {
  if (grants.length === 0) return;
  const ids = grants.map(() => randomUUID());
  const rows = await (waits ? grantWaiting : grantFree)(tx, {
    ids,
    userIds: grants.map(({ attempt }) => attempt.userId),
    codes: grants.map(({ attempt }) => attempt.code),
    tiers: grants.map(({ tier }) => tier),
    ends: grants.map(({ endsAt }) => endsAt),
    versions: grants.map(({ version }) => version),
    mailboxHashes: grants.map(({ mailboxHash }) => mailboxHash),
  });
  for (const [index, { attempt, tier, endsAt, version }] of grants.entries()) {
    const row = rows[index];
    if (row?.version !== version || (row.has_clash && !row.is_granted)) continue;
    const { code } = attempt;
    const redemption = { ok: true, tier, code, expiresAt: new Date(endsAt), isRepeat: false } as const;
    const grantId = ids[index] ?? "";
    outcomes.set(attempt, row.is_granted ? { redemption, grantId } : refusal(PROMO_MESSAGES.invalid));
  }
}

const GIVEN: GivenTypes = {
  ...{ ids: "text", userIds: "text", codes: "text" },
  ...{ tiers: "text", ends: "timestamptz", versions: "text" },
  mailboxHashes: "text",
};
const grantWaiting = prepareGrants("redeem_grant_waiting", sql``);
const grantFree = prepareGrants("redeem_grant_free", sql`SKIP LOCKED`);

/** One is most often alone, and granted by a plan that is kept; several are joined by one that knows how many they are. */
function prepareGrants(name: string, whenLocked: SQL) {
  const grantOne = prepareGrant(`${name}_one`, givenRows(GIVEN), whenLocked);
  const grantSeveral = prepareGrant(name, givenLists(GIVEN), whenLocked);
  return (tx: Queryable, given: Parameters<typeof grantOne>[1] & { ids: readonly string[] }) =>
    (given.ids.length === 1 ? grantOne : grantSeveral)(tx, given);
}

function prepareGrant(name: string, rows: SQL, whenLocked: SQL) {
  return prepareStatement<
    { version: string | null; is_granted: boolean; has_clash: boolean },
    "ids" | "userIds" | "codes" | "tiers" | "ends" | "versions" | "mailboxHashes"
  >(
    name,
    () => sql`
    WITH wanted AS MATERIALIZED (
      SELECT *, row_number() OVER (PARTITION BY code ORDER BY number) AS rank
      FROM ${rows} AS wanted (id, user_id, code, tier, ends_at, version, mailbox_hash, number)
    ), locked AS MATERIALIZED (
      SELECT code, active, starts_at, expires_at, max_uses, used_count, ${TERMS} AS version FROM promo_codes
      WHERE code = ANY (ARRAY(SELECT code FROM wanted))
      ORDER BY code FOR NO KEY UPDATE ${whenLocked}
    ), taken AS MATERIALIZED (
      SELECT code, least(uses, max_uses - used_count) AS uses
      FROM locked JOIN (SELECT code, version, count(*)::int AS uses FROM wanted GROUP BY code, version) AS asked
        USING (code, version)
      WHERE active AND (max_uses IS NULL OR used_count < max_uses)
        AND (starts_at IS NULL OR starts_at <= now()) AND (expires_at IS NULL OR expires_at > clock_timestamp())
    ), granted AS (
      INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at, mailbox_hash)
      SELECT id, user_id, tier, 'promo', code, ends_at, mailbox_hash FROM wanted JOIN taken USING (code) WHERE rank <= uses
      ON CONFLICT (mailbox_hash) WHERE mailbox_hash IS NOT NULL DO NOTHING
      RETURNING id, promo_code
    ), given AS MATERIALIZED (
      SELECT promo_code AS code, count(*)::int AS uses FROM granted GROUP BY promo_code
    ), counted AS (
      UPDATE promo_codes SET used_count = used_count + uses FROM given WHERE promo_codes.code = given.code
    )
    SELECT locked.version, granted.id IS NOT NULL AS is_granted,
      coalesce(given.uses, 0) < coalesce(taken.uses, 0) AS has_clash
    FROM wanted LEFT JOIN locked USING (code) LEFT JOIN taken USING (code) LEFT JOIN given USING (code)
      LEFT JOIN granted USING (id)
    ORDER BY number`,
  );
}
