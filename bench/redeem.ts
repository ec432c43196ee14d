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
import { openSite } from "./redeem-http.ts";
import { CODES, HOT_CODE, pgbench, redeemAsBefore, USERS } from "./redeem-rivals.ts";

const ROUNDS = 5;
const SECONDS = 2;
const CALLERS = 64;
/** Redemptions of a caller who has the database for themselves. */
const ALONE = 200;

/**
 * Redemptions a second beside pgbench with the statements that a redemption took before redemptions shared transactions,
 * with every commit on the disk; and what one caller waits.
 */
export async function run(): Promise<Figure[]> {
  const endCluster = await startCluster();
  const folder = mkdtempSync(join(tmpdir(), "bench-redeem-"));
  try {
    // What tests do without.
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
  // Before there are users: it says what the database is for.
  const site = await openSite(url, owner, folder);
  await fill(owner);
  const { rows } = await owner.query(
    "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')",
  );
  console.log(rows.map(({ name, setting }) => `${name} ${setting}`).join(", "));
  const ratios = { hot: [] as number[], random: [] as number[], alone: [] as number[], http: [] as number[] };
  // The first round warms up and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const kind of ["hot", "random"] as const) {
      await reset(owner);
      const theirs = await pgbench(siteUrlOf(url), folder, kind === "hot", SECONDS);
      await reset(owner);
      const ours = await redeemMany(db, kind === "hot");
      await expectExact(owner, ours.count);
      console.log(
        `${kind}: pgbench ${theirs.toFixed(0)}, redeemPromoCode ${ours.perSecond.toFixed(0)} a second`,
      );
      if (round > 0) ratios[kind].push(ours.perSecond / theirs);
      if (kind === "random") continue;
      await reset(owner);
      const overHttp = await site.redeem(SECONDS);
      console.log(`hot, over HTTP: ${overHttp.toFixed(0)} a second`);
      if (round > 0) ratios.http.push(overHttp / theirs);
    }
    await reset(owner);
    const [before, now] = await compareAlone(db, pool);
    console.log(`alone: ${before.toFixed(2)} ms before, ${now.toFixed(2)} ms now`);
    if (round > 0) ratios.alone.push(now / before);
  }
  await site.end();
  await Promise.all([endPool(pool), endPool(owner)]);
  return [
    {
      name: `one hot code, ${CALLERS} callers, beside pgbench`,
      value: medianOf(ratios.hot),
      unit: "×",
      limit: { least: 8 },
    },
    {
      name: `${CODES} random codes, ${CALLERS} callers, beside pgbench`,
      value: medianOf(ratios.random),
      unit: "×",
      limit: { least: 3 },
    },
    {
      name: "one caller's wait beside what it was",
      value: medianOf(ratios.alone),
      unit: "×",
      limit: { most: 1 },
    },
    {
      name: "one hot code by the form, sessions and limits included",
      value: medianOf(ratios.http),
      unit: "×",
      limit: { least: 2 },
    },
  ];
}

async function fill(owner: Pool): Promise<void> {
  await owner.query(
    `INSERT INTO "user" (id, name, email) SELECT 'u' || n, 'Test', 'u' || n || '@example.com'
     FROM generate_series(0, ${USERS}) AS n`,
  );
  await owner.query(
    `INSERT INTO promo_codes (code, duration_type) SELECT 'C' || n, 'months' FROM generate_series(0, ${CODES}) AS n`,
  );
  await owner.query("VACUUM ANALYZE");
}

/** Nobody has redeemed anything. */
async function reset(owner: Pool): Promise<void> {
  await owner.query("TRUNCATE grants CASCADE");
  await owner.query("UPDATE promo_codes SET used_count = 0 WHERE used_count > 0");
}

/** Each of the callers redeems as fast as it is answered, each time for another user. */
async function redeemMany(db: Database, isHot: boolean): Promise<{ perSecond: number; count: number }> {
  const begun = performance.now();
  const end = begun + SECONDS * 1000;
  let next = 0;
  let count = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (performance.now() < end && next < USERS) {
        const code = isHot ? HOT_CODE : `C${1 + Math.floor(Math.random() * CODES)}`;
        const redemption = await redeemPromoCode({ db, config: { authSecret: AUTH_SECRET } }, `u${next++}`, {
          code,
        });
        if (!redemption.ok) throw new Error(JSON.stringify(redemption));
        count++;
      }
    }),
  );
  return { perSecond: (count / (performance.now() - begun)) * 1000, count };
}

async function expectExact(owner: Pool, answered: number): Promise<void> {
  const { rows } = await owner.query(
    "SELECT (SELECT sum(used_count)::int FROM promo_codes) AS used, (SELECT count(*)::int FROM grants) AS granted",
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
    await redeemPromoCode({ db, config: { authSecret: AUTH_SECRET } }, `u${2 * index + 1}`, {
      code: HOT_CODE,
    });
    before.push(between - begun);
    now.push(performance.now() - between);
  }
  return [medianOf(before), medianOf(now)];
}
