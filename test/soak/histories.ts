import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { PoolClient } from "pg";
import { TIERS, type Tier } from "../../app/entitlements/tiers.ts";
import { openDatabase } from "../database.ts";
import { chance, type Dice, pick, rollDice } from "../dice.ts";

const DAY = 24 * 60 * 60 * 1000;
const HOUR = 60 * 60 * 1000;
/** The number of people written and compared at a time. */
const CHUNK = 2_000;

type Life = ReturnType<typeof live>;

/** A plan according to the view, or the expected one. */
interface Plan {
  tier: Tier;
  expiresAt: number;
  renews: boolean;
}

/**
 * Generates random histories of codes, gifts and subscriptions. Compares the view of the plans in force with a plain evaluation
 * of everything each person holds.
 *
 * @returns a line for each difference
 */
export async function histories(people: number, seed: number): Promise<string[]> {
  const dice = rollDice(seed);
  const database = await openDatabase();
  const client = await database.pool.connect();
  const differences: string[] = [];
  let withPlan = 0;
  try {
    await client.query(`
      INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod', 'Plan', true, 'basic', 0);
      INSERT INTO prices (id, product_id, active, unit_amount, currency, "interval", sync_ticket)
        VALUES ('price', 'prod', true, 100, 'usd', 'month', 0);
      INSERT INTO promo_codes (code, duration_type) SELECT 'CODE' || n, 'months' FROM generate_series(0, 4) AS n`);
    for (let done = 0; done < people; done += CHUNK) {
      // So that the view has the same now().
      await client.query("BEGIN");
      const { rows } = await client.query("SELECT date_trunc('milliseconds', now()) AS now");
      const now: number = rows[0].now.getTime();
      const lives = Array.from({ length: Math.min(CHUNK, people - done) }, () => live(dice, now));
      await write(client, lives);
      const seen = await readPlans(client);
      for (const life of lives) {
        const wanted = expectPlans(life, now);
        const found = seen.get(life.id);
        if (found) withPlan += 1;
        const isWanted = found ? wanted.some((plan) => isDeepStrictEqual(plan, found)) : wanted.length === 0;
        if (!isWanted) differences.push(JSON.stringify({ now: new Date(now), found, wanted, life }));
      }
      await client.query("ROLLBACK");
    }
    console.log(`${people} histories: ${withPlan} with a plan, ${people - withPlan} without`);
    return differences;
  } finally {
    client.release();
    await database.close();
  }
}

/** What one person was given and bought, before and after now; some of its times are exactly now. */
function live(dice: Dice, now: number) {
  const id = randomUUID();
  const at = () => new Date(chance(dice, 0.1) ? now : now + Math.round((dice() - 0.5) * 800 * DAY));
  const orNone = <Value>(share: number, value: Value) => (chance(dice, share) ? value : null);
  const common = () => ({ id: randomUUID(), user_id: id, tier: pick(dice, TIERS) });
  const codes = [0, 1, 2, 3, 4].filter(() => chance(dice, 0.2)).map((code) => `CODE${code}`);
  const grants = [...codes, ...(chance(dice, 0.15) ? [null] : [])].map((promo_code) => ({
    ...common(),
    source: promo_code ? "promo" : "admin",
    promo_code,
    created_at: at(),
    expires_at: at(),
    revoked_at: orNone(0.15, at()),
  }));
  const subscriptions = Array.from({ length: pick(dice, [0, 0, 0, 1, 1, 2]) }, (_, index) => {
    const end = at();
    const inGrace = new Date(end.getTime() + Math.round(dice() * 10) * DAY);
    return {
      ...common(),
      price_id: "price",
      sync_ticket: 0,
      // A person has one that has not ended.
      status: index > 0 ? "canceled" : pick(dice, ["active", "active", "trialing", "past_due", "unpaid"]),
      current_period_start: new Date(end.getTime() - 30 * DAY),
      current_period_end: end,
      cancel_at: orNone(0.3, pick(dice, [end, at()])),
      started_at: at(),
      // Some rows were last synced by code without this column.
      access_until: orNone(0.8, pick(dice, [end, inGrace, at(), new Date(0)])),
    };
  });
  return { id, grants, subscriptions };
}

async function write(client: PoolClient, lives: readonly Life[]): Promise<void> {
  const insert = async (table: string, rows: readonly object[]) => {
    const columns = Object.keys(rows[0] ?? {});
    if (columns.length === 0) return;
    await client.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`,
      [JSON.stringify(rows)],
    );
  };
  const user = { name: "Ada", email_verified: false };
  const users = lives.map(({ id }) => ({ ...user, id, email: `${id}@example.com` }));
  await insert(`"user"`, users);
  const grants = lives.flatMap((life) => life.grants);
  await insert("grants", grants);
  const subscriptions = lives.flatMap((life) => life.subscriptions);
  await insert("stripe_subscriptions", subscriptions);
}

async function readPlans(client: PoolClient): Promise<Map<string, Plan>> {
  const { rows } = await client.query("SELECT user_id, tier, expires_at, renews FROM user_subscriptions");
  return new Map(
    rows.map(({ user_id, tier, expires_at, renews }) => [
      user_id,
      { tier, expiresAt: expires_at.getTime(), renews },
    ]),
  );
}

/** The best plans in force now, by a plain evaluation; several when they are equally good. */
function expectPlans({ grants, subscriptions }: Life, now: number): Plan[] {
  const held: Plan[] = grants
    .filter((grant) => grant.revoked_at === null && grant.expires_at.getTime() > now)
    .map((grant) => ({ tier: grant.tier, expiresAt: grant.expires_at.getTime(), renews: false }));
  for (const { tier, status, current_period_end, cancel_at, access_until } of subscriptions) {
    const periodEnd = current_period_end.getTime();
    const cancelAt = cancel_at?.getTime() ?? Number.POSITIVE_INFINITY;
    let until = access_until?.getTime();
    if (until === undefined && ["active", "trialing"].includes(status))
      until = Math.min(periodEnd + HOUR, cancelAt);
    if (until === undefined || until <= now) continue;
    const renews = periodEnd > now && periodEnd < until && cancelAt > periodEnd;
    held.push({ tier, expiresAt: renews ? periodEnd : until, renews });
  }
  const isBetter = (one: Plan, other: Plan) =>
    one.tier === other.tier ? one.expiresAt > other.expiresAt : one.tier === "premium";
  return held.filter((plan) => !held.some((other) => isBetter(other, plan)));
}
