import { setTimeout as sleep } from "node:timers/promises";
import { type Dice, pick, rollDice, shuffled } from "../dice.ts";
import { eachOf } from "../loops.ts";
import { openSite, postAt, type Site } from "../running-site.ts";
import { createSignedInUsers } from "../users.ts";
import { unlike } from "./report.ts";

const USES = 100;
const BUYERS = 60;
/** Concurrent requests. */
const AT_ONCE = 60;

/** Half the time around a code's end in which it is redeemed. */
const AROUND_MILLISECONDS = 500;
/** One in this many redeems at once, because on a busy machine all others may be late. */
const EARLY = 20;

interface Answer {
  status: number;
  /** When the request was sent. */
  sentAt: number;
}

type User = { cookie: string };

/**
 * Redeems codes from many accounts through several processes: one with too few uses, twice per account; one with enough
 * for all; and one around the moment it ends.
 *
 * @returns a line for each difference
 */
export async function redeem(users: number, seed: number, processes = 3): Promise<string[]> {
  const dice = rollDice(seed);
  // A thousand concurrent requests wait longer on a busy machine than in production.
  await using site = await openSite(processes, { DATABASE_TIMEOUT_SECONDS: "60" });
  const differences = [
    ...(await tooFewUses(site, users, dice)),
    ...(await enoughUses(site, dice)),
    ...(await aroundTheEnd(site, Math.ceil(users / 5), dice)),
  ];
  const { rows } = await site.pool.query(
    "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
  );
  return [...differences, ...unlike({ deadlocks: [rows[0].deadlocks, 0] })];
}

/** Each account redeems twice. USES of them get the plan, and both answers say so. */
async function tooFewUses(site: Site, count: number, dice: Dice): Promise<string[]> {
  const users = await createCode(site, "RACE", USES, count);
  const answers = await redeemAll(site, shuffled([...users, ...users], dice), "RACE", dice);
  console.log(`${answers.length} redemptions of ${USES} uses: ${inWords(answers)}`);
  const wanted = Math.min(USES, count);
  return [
    ...(await expectGrants(site, "RACE", wanted)),
    ...expectStatuses(answers, [200, 400]),
    ...unlike({ "answers of success": [answers.filter(isSuccess).length, 2 * wanted] }),
  ];
}

/** None is refused while there are uses left. */
async function enoughUses(site: Site, dice: Dice): Promise<string[]> {
  const users = await createCode(site, "ENOUGH", USES, BUYERS);
  const answers = await redeemAll(site, users, "ENOUGH", dice);
  console.log(`${BUYERS} buyers of ${USES} uses: ${inWords(answers)}`);
  return [...(await expectGrants(site, "ENOUGH", BUYERS)), ...expectStatuses(answers, [200])];
}

/** Spreads requests over the second around the end. */
async function aroundTheEnd(site: Site, count: number, dice: Dice): Promise<string[]> {
  const users = await createCode(site, "ENDS", null, count);
  const { rows } = await site.pool.query(
    `UPDATE promo_codes SET expires_at = clock_timestamp() + interval '2 seconds' WHERE code = 'ENDS'
     RETURNING expires_at`,
  );
  const endsAt: number = rows[0].expires_at.getTime();
  const answers = await Promise.all(
    users.map(async (user, index) => {
      if (index % EARLY > 0) await sleep(endsAt + (2 * dice() - 1) * AROUND_MILLISECONDS - Date.now());
      return redeemOne(site, user, "ENDS", dice);
    }),
  );
  console.log(`${count} redemptions around the end: ${inWords(answers)}`);
  const { rows: grants } = await site.pool.query(
    `SELECT count(*) FILTER (WHERE grants.created_at >= promo_codes.expires_at)::int AS late, count(*)::int AS given
     FROM grants JOIN promo_codes ON promo_codes.code = promo_code WHERE code = 'ENDS'`,
  );
  const given = answers.filter(isSuccess);
  const isEndSeen = given.length > 0 && given.length < count;
  return [
    ...unlike({
      "grants after the end": [grants[0].late, 0],
      "successes sent after the end": [given.filter(({ sentAt }) => sentAt > endsAt).length, 0],
      "who has a grant, of those who were told of one": [grants[0].given, given.length],
    }),
    ...(isEndSeen ? [] : [`${given.length} of ${count} were given: nothing was seen of the end`]),
    ...expectStatuses(answers, [200, 400]),
  ];
}

/** Redeems in sequence as fast as possible, each at one of the processes. */
async function redeemAll(site: Site, users: readonly User[], code: string, dice: Dice): Promise<Answer[]> {
  const answers: Answer[] = [];
  await eachOf(users, AT_ONCE, async (user) => {
    answers.push(await redeemOne(site, user, code, dice));
  });
  return answers;
}

/**
 * Redeems by the form, from a new address, because limits are not under test. A machine too busy to answer in time answers 503; the form
 * is then sent again.
 */
async function redeemOne(site: Site, user: User, code: string, dice: Dice, triesLeft = 5): Promise<Answer> {
  const origin = pick(dice, site.origins);
  const sentAt = Date.now();
  const response = await postAt(origin, site, "/subscription", { form: "promo", code }, user.cookie);
  await response.arrayBuffer();
  if (response.status === 503 && triesLeft > 1) return redeemOne(site, user, code, dice, triesLeft - 1);
  return { status: response.status, sentAt };
}

/** @returns so many users for it */
async function createCode({ pool }: Site, code: string, uses: number | null, users: number): Promise<User[]> {
  const insert = "INSERT INTO promo_codes (code, duration_type, max_uses) VALUES ($1, 'months', $2)";
  await pool.query(insert, [code, uses]);
  return createSignedInUsers(pool, users);
}

async function expectGrants({ pool }: Site, code: string, wanted: number): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT used_count AS used, (SELECT count(DISTINCT user_id)::int FROM grants WHERE promo_code = code) AS users,
       (SELECT count(*)::int FROM grants WHERE promo_code = code) AS grants
     FROM promo_codes WHERE code = $1`,
    [code],
  );
  const { used, users, grants } = rows[0];
  return unlike({
    [`uses of ${code}`]: [used, wanted],
    [`users with ${code}`]: [users, wanted],
    [`grants by ${code}`]: [grants, wanted],
  });
}

const isSuccess = ({ status }: Answer) => status === 200;

function expectStatuses(answers: readonly Answer[], known: readonly number[]): string[] {
  const others = answers.filter(({ status }) => !known.includes(status));
  return others.length === 0 ? [] : [`unexpected answers: ${inWords(others)}`];
}

function inWords(answers: readonly Answer[]): string {
  const counts = Map.groupBy(answers, ({ status }) => status);
  return [...counts].map(([status, all]) => `${all.length} × ${status}`).join(", ");
}
