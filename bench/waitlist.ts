import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, Pool } from "pg";
import { connect, endPool } from "../app/db/client.server.ts";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { findViolations } from "../app/db/invariants.server.ts";
import { applyMigrations } from "../app/db/migrate.server.ts";
import { confirmPlace } from "../app/waitlist/confirm.server.ts";
import { createMembers } from "../app/waitlist/members.fixture.ts";
import { playEvents, randomEvents, readList, statementOf } from "../app/waitlist/order.fixture.ts";
import { medianOf } from "../test/median.ts";
import { SITE } from "../test/site.ts";
import { rollDice } from "./dice.ts";
import type { Figure } from "./figures.ts";
import { measurePlaces } from "./waitlist-places.ts";

const DEFAULT_SIZES = [1_000, 100_000, 1_000_000, 10_000_000];
const ROUNDS = 7;
const HISTORIES = 10_000;
/** People who confirm in a round, at once so many. */
const CONFIRMED = 400;
const AT_ONCE = 32;

/**
 * The waitlist as it grows: how long a place's number takes to find, in databases of so many members side by side, and how many
 * confirm in a second; and its order, after thousands of histories at random, beside the rules played one by one.
 *
 * `npm run bench -- waitlist 1000 1000000`: with lists of these sizes instead
 */
export async function run(): Promise<Figure[]> {
  const sizes = process.argv.slice(3).map(Number);
  const folder = mkdtempSync(join(tmpdir(), "bench-waitlist-"));
  chmodSync(folder, 0o755);
  const postgres = await openEmbeddedPostgres(folder, console.error);
  const create = (name: string) => createDatabase(postgres.url, name);
  try {
    return [
      ...(await measurePlaces(create, sizes.length > 0 ? sizes : DEFAULT_SIZES)),
      ...(await measureConfirming(create)),
      await compareHistories(await create("histories")),
    ];
  } finally {
    await postgres.release();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns its URL */
async function createDatabase(clusterUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: clusterUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`).finally(() => client.end());
  const { href } = Object.assign(new URL(clusterUrl), { pathname: `/${name}` });
  await applyMigrations(href);
  return href;
}

/**
 * How many confirm in a second, written to disk: brought by nobody, each brought by one of twenty, and where no order is kept, as it
 * was when every page replayed the list.
 */
async function measureConfirming(create: (name: string) => Promise<string>): Promise<Figure[]> {
  const WAYS = { "no order": false, nobody: false, "one of twenty": true };
  const ways = [];
  for (const [name, isBrought] of Object.entries(WAYS)) {
    const url = await create(`brought_by_${name.replaceAll(" ", "_")}`);
    const connection = connect(url, AT_ONCE, () => {});
    if (name === "no order") await connection.pool.query("ALTER TABLE waitlist DISABLE TRIGGER USER");
    const bringers = (await createMembers(connection.pool, 20, true)).map(({ id }) => id);
    ways.push({ name, isBrought, bringers, ...connection, perSecond: [] as number[] });
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const { db, pool, isBrought, bringers, perSecond } of ways) {
      const members = await createMembers(pool, CONFIRMED, false);
      if (isBrought)
        await pool.query(
          "UPDATE waitlist SET referred_by = ($1::text[])[1 + abs(hashtext(id)) % 20] WHERE ticket IS NULL",
          [bringers],
        );
      const begun = performance.now();
      const left = members.values();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const { token } of left) await confirmPlace(db, SITE, token);
        }),
      );
      perSecond.push(CONFIRMED / ((performance.now() - begun) / 1000));
    }
  const [without = Number.NaN, alone = 0, brought = 0] = ways.map((way) => medianOf(way.perSecond));
  console.log(
    `confirmed a second, ${AT_ONCE} at once: ${without.toFixed(0)} where no order is kept, ${alone.toFixed(0)} brought by ` +
      `nobody, ${brought.toFixed(0)} each brought by one of twenty`,
  );
  for (const { pool } of ways) {
    const isSound = (await findViolations(pool)).length === 0;
    await endPool(pool);
    if (!isSound && pool !== ways[0]?.pool) throw new Error("the order is not sound");
  }
  const what = (who: string) =>
    `places confirmed a second, brought by ${who}, of those where no order is kept`;
  return [
    { name: what("nobody"), value: alone / without, unit: "×", limit: { least: 0.7 } },
    { name: what("one of twenty"), value: brought / without, unit: "×", limit: { least: 0.3 } },
  ];
}

/** How many histories end in another order than the one of the rules. */
async function compareHistories(url: string): Promise<Figure> {
  const pool = new Pool({ connectionString: url, max: 1 });
  let different = 0;
  for (let history = 0; history < HISTORIES; history++) {
    const dice = rollDice(history);
    const events = randomEvents(dice, 10 + Math.floor(dice() * 50), [1, 30, 400, 5_000][history % 4] ?? 1);
    await pool.query(
      "DELETE FROM waitlist; DELETE FROM waitlist_invitations; DELETE FROM waitlist_counts; UPDATE waitlist_totals SET counted_before = 0",
    );
    await pool.query(events.map(statementOf).join(";"));
    const found = await readList(pool).catch(() => null);
    const isSound = history % 100 > 0 || (await findViolations(pool)).length === 0;
    if (JSON.stringify(found) !== JSON.stringify(playEvents(events)) || !isSound) different++;
  }
  await endPool(pool);
  return {
    name: `histories of ${HISTORIES} whose order is not that of the rules`,
    value: different,
    unit: "",
    limit: { most: 0 },
  };
}
