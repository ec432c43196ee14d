import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { connect, type Database, endPool } from "../app/db/client.server.ts";
import { siteUrlOf } from "../app/db/embedded.server.ts";
import { applyMigrations } from "../app/db/migrate.server.ts";
import { redeemPromoCode } from "../app/promo/redeem.server.ts";
import startCluster from "../test/cluster.ts";
import { createDatabase, databaseSettings, onCluster } from "../test/database.ts";
import { medianOf } from "../test/median.ts";
import { AUTH_SECRET } from "../test/server.ts";
import type { Figure } from "./figures.ts";
import { CODES, HOT_CODE, pgbench, redeemAsBefore, USERS } from "./redeem-rivals.ts";

/** `npm run bench -- redeem 3` for fewer. */
const ROUNDS = Number(process.argv[3]) || 5;
const SECONDS = 2;
/** Redeemed before, with another code: without any grants the planner makes unrealistic plans. */
const EARLIER = 40_000;
const EARLIER_CODE = "EARLIER";
const CALLERS = 64;
/** Redemptions of a caller without competition. */
const ALONE = 200;
const CONFIG = { authSecret: AUTH_SECRET, authSecrets: [AUTH_SECRET] };

/**
 * Redemptions a second beside pgbench with the same statements one by one, with every commit on the disk; and what one caller waits.
 */
export async function run(): Promise<Figure[]> {
  const endCluster = await startCluster();
  const folder = mkdtempSync(join(tmpdir(), "bench-redeem-"));
  try {
    // Tests turn these off.
    for (const setting of ["fsync", "full_page_writes", "synchronous_commit"])
      await onCluster(`ALTER SYSTEM RESET ${setting}`);
    await onCluster("SELECT pg_reload_conf()");
    const { url } = await createDatabase();
    const { DATABASE_OWNER_URL, DATABASE_URL } = databaseSettings(url);
    await applyMigrations(DATABASE_OWNER_URL, { siteUrl: DATABASE_URL });
    return await measure(url, folder);
  } finally {
    await endCluster();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(url: string, folder: string): Promise<Figure[]> {
  const owner = new Pool({ connectionString: url });
  owner.on("error", () => {});
  const { db, pool } = connect(siteUrlOf(url), 20, () => {}, 5);
  try {
    await fill(owner);
    const { rows } = await owner.query(
      "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')",
    );
    console.log(rows.map(({ name, setting }) => `${name} ${setting}`).join(", "));
    const rivals = { url: siteUrlOf(url), folder, owner, db, pool };
    const rounds: Awaited<ReturnType<typeof measureRound>>[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const ratios = await measureRound(rivals);
      // The first round warms up.
      if (round > 0) rounds.push(ratios);
    }
    const figure = (name: string, of: keyof (typeof rounds)[number], limit: Figure["limit"]): Figure => ({
      name,
      value: medianOf(rounds.map((ratios) => ratios[of])),
      unit: "×",
      limit,
    });
    return [
      figure(`one hot code, ${CALLERS} callers, beside pgbench`, "hot", { least: 0.8 }),
      figure(`${CODES} random codes, ${CALLERS} callers, beside pgbench`, "random", { least: 0.8 }),
      figure("one caller's wait beside what it was", "alone", { most: 1 }),
    ];
  } finally {
    await Promise.all([pool, owner].map(endPool));
  }
}

interface Rivals {
  url: string;
  folder: string;
  owner: Pool;
  db: Database;
  pool: Pool;
}

/** Everything once, side by side. @returns the ratios */
async function measureRound({ url, folder, owner, db, pool }: Rivals) {
  const measureOurs = async (name: string, theirs: number) => {
    await reset(owner);
    const { count, perSecond } = await redeemMany(db, name === "hot");
    await expectExact(owner, count);
    console.log(`${name}: pgbench ${theirs.toFixed(0)}, redeemPromoCode ${perSecond.toFixed(0)} a second`);
    return perSecond / theirs;
  };
  await reset(owner);
  const hot = await measureOurs("hot", await pgbench(url, folder, true, SECONDS));
  await reset(owner);
  const random = await measureOurs("random", await pgbench(url, folder, false, SECONDS));
  await reset(owner);
  const [before, now] = await compareAlone(db, pool);
  console.log(`alone: ${before.toFixed(2)} ms before, ${now.toFixed(2)} ms now`);
  return { hot, random, alone: now / before };
}

async function fill(owner: Pool): Promise<void> {
  await owner.query(
    `INSERT INTO "user" (id, name, email) SELECT 'u' || n, 'Test', 'u' || n || '@example.com'
     FROM generate_series(0, ${USERS}) AS n`,
  );
  await owner.query(
    `INSERT INTO promo_codes (code, duration_type) SELECT 'C' || n, 'months' FROM generate_series(0, ${CODES}) AS n`,
  );
  await owner.query("INSERT INTO promo_codes (code, duration_type, used_count) VALUES ($1, 'months', $2)", [
    EARLIER_CODE,
    EARLIER,
  ]);
  await owner.query(
    `INSERT INTO "user" (id, name, email) SELECT 'earlier' || n, 'Test', 'earlier' || n || '@example.com'
     FROM generate_series(1, $1::int) AS n`,
    [EARLIER],
  );
  await owner.query(
    `INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
     SELECT gen_random_uuid(), 'earlier' || n, 'basic', 'promo', $2, now() + interval '1 month'
     FROM generate_series(1, $1::int) AS n`,
    [EARLIER, EARLIER_CODE],
  );
  await owner.query("VACUUM ANALYZE");
}

/** Deletes all redemptions. */
async function reset(owner: Pool): Promise<void> {
  await owner.query("DELETE FROM grants WHERE promo_code <> $1", [EARLIER_CODE]);
  await owner.query("UPDATE promo_codes SET used_count = 0 WHERE code <> $1 AND used_count > 0", [
    EARLIER_CODE,
  ]);
  // A worker would have removed these by now.
  await owner.query("TRUNCATE plans_to_count, standing_changes, rate_limits");
  for (const table of ["grants", "promo_codes"]) await owner.query(`VACUUM (ANALYZE) ${table}`);
}

/** Each caller redeems without a pause, each time for another user. */
async function redeemMany(db: Database, isHot: boolean): Promise<{ perSecond: number; count: number }> {
  const begun = performance.now();
  const end = begun + SECONDS * 1000;
  let next = 0;
  let count = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (performance.now() < end && next < USERS) {
        const code = isHot ? HOT_CODE : `C${1 + Math.floor(Math.random() * CODES)}`;
        const redemption = await redeemPromoCode({ db, config: CONFIG }, `u${next++}`, { code });
        if (!redemption.ok) throw new Error(JSON.stringify(redemption));
        count++;
      }
    }),
  );
  return { perSecond: (count / (performance.now() - begun)) * 1000, count };
}

async function expectExact(owner: Pool, answered: number): Promise<void> {
  const { rows } = await owner.query(
    `SELECT (SELECT sum(used_count)::int FROM promo_codes WHERE code <> $1) AS used,
       (SELECT count(*)::int FROM grants WHERE promo_code <> $1) AS granted`,
    [EARLIER_CODE],
  );
  const { used, granted } = rows[0];
  if (used !== answered || granted !== answered)
    throw new Error(`${answered} answers, ${granted} grants, ${used} uses`);
}

/** The median wait of one caller, in turn as it was and as it is. */
async function compareAlone(db: Database, pool: Pool): Promise<[before: number, now: number]> {
  const before: number[] = [];
  const now: number[] = [];
  for (let index = 0; index < ALONE; index++) {
    const begun = performance.now();
    await redeemAsBefore(pool, `u${2 * index}`, HOT_CODE);
    const between = performance.now();
    await redeemPromoCode({ db, config: CONFIG }, `u${2 * index + 1}`, { code: HOT_CODE });
    before.push(between - begun);
    now.push(performance.now() - between);
  }
  return [medianOf(before), medianOf(now)];
}
