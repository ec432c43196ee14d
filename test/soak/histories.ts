import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { PoolClient } from "pg";
import { accessUntil, type InvoiceState } from "../../app/billing/lifecycle.ts";
import { TIERS, type Tier } from "../../app/entitlements/tiers.ts";
import { openDatabase } from "../database.ts";
import { chance, type Dice, pick, rollDice } from "../dice.ts";

const DAY = 24 * 60 * 60 * 1000;
const HOUR = 60 * 60 * 1000;
const GRACE_DAYS = 7;
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
 * Generates random histories of codes, gifts, payments, cancellations and their times. Compares the view of the plans in
 * force with a plain evaluation of everything each person holds.
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
    await prepare(client);
    for (let done = 0; done < people; done += CHUNK) {
      // So that the view has the same now().
      await client.query("BEGIN");
      const { rows } = await client.query("SELECT date_trunc('milliseconds', now()) AS now, now() AS exact");
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

async function prepare(client: PoolClient): Promise<void> {
  await client.query(`
    INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod', 'Plan', true, 'basic', 0);
    INSERT INTO prices (id, product_id, active, unit_amount, currency, "interval", sync_ticket)
      VALUES ('price', 'prod', true, 100, 'usd', 'month', 0);
    INSERT INTO promo_codes (code, duration_type) SELECT 'CODE' || n, 'months' FROM generate_series(0, 4) AS n`);
}

/** A history before and after now; some of its times are exactly now. */
function live(dice: Dice, now: number) {
  const id = randomUUID();
  const at = () => new Date(chance(dice, 0.05) ? now : now + Math.round((dice() - 0.5) * 800 * DAY));
  const codes = [0, 1, 2, 3, 4].filter(() => chance(dice, 0.2));
  const gifts = chance(dice, 0.15) ? [null] : [];
  const grants = [...codes, ...gifts].map((code) => {
    const start = at();
    return {
      id: randomUUID(),
      user_id: id,
      tier: pick(dice, TIERS),
      source: code === null ? "admin" : "promo",
      promo_code: code === null ? null : `CODE${code}`,
      created_at: start,
      expires_at: chance(dice, 0.1)
        ? new Date(now)
        : new Date(start.getTime() + Math.round(dice() * 400) * DAY),
      revoked_at: chance(dice, 0.15) ? at() : null,
    };
  });
  const subscriptions = Array.from({ length: pick(dice, [0, 0, 0, 1, 1, 2]) }, (_, index) =>
    subscribe(dice, now, id, index > 0),
  );
  return { id, grants, subscriptions };
}

/** Consecutive paid months, until a cancellation, a failed payment, or today. @param isOld whether it is over */
function subscribe(dice: Dice, now: number, userId: string, isOld: boolean) {
  const month = 30 * DAY;
  const started = now - Math.round(dice() * 700 * DAY);
  const invoices: InvoiceState[] = [];
  let start = started;
  let status = "active";
  let cancelAt: number | null = null;
  for (;;) {
    const end = start + month;
    const isPaid = chance(dice, 0.95);
    invoices.push({
      status: isPaid ? "paid" : "open",
      createdAt: new Date(start),
      amountPaid: isPaid ? 100 : 0,
      amountRefunded: isPaid && chance(dice, 0.05) ? 100 : 0,
      disputeStatus: isPaid && chance(dice, 0.02) ? pick(dice, ["lost", "won"]) : null,
      periodEnd: new Date(end),
    });
    if (!isPaid) status = pick(dice, ["past_due", "unpaid", "canceled"]);
    else if (chance(dice, 0.08)) cancelAt = chance(dice, 0.5) ? end : start + Math.round(dice() * month);
    if (status !== "active" || cancelAt !== null || end > now) break;
    start = end;
  }
  if (isOld || (cancelAt !== null && cancelAt <= now)) status = "canceled";
  const state = {
    status,
    currentPeriodStart: new Date(start),
    currentPeriodEnd: new Date(start + month),
    cancelAt: cancelAt === null ? null : new Date(cancelAt),
    pauseBehavior: null,
    daysGiven: null,
  };
  return {
    id: randomUUID(),
    user_id: userId,
    price_id: "price",
    sync_ticket: 0,
    tier: pick(dice, TIERS),
    status,
    current_period_start: state.currentPeriodStart,
    current_period_end: state.currentPeriodEnd,
    cancel_at: state.cancelAt,
    started_at: new Date(started),
    // Some rows were last synced by code without this column.
    access_until: chance(dice, 0.05) ? null : accessUntil(state, invoices, GRACE_DAYS),
  };
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
  const grants = lives.flatMap((life) => life.grants);
  const subscriptions = lives.flatMap((life) => life.subscriptions);
  await insert(`"user"`, users);
  await insert("grants", grants);
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
