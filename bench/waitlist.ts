import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, Pool } from "pg";
import { connect, type DatabaseConnection, endPool } from "../app/db/client.server.ts";
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
const ROUNDS = 11;
const HISTORIES = 10_000;
/** People who confirm in a round, at once so many. */
const CONFIRMED = 150;
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

/** Those who confirm: whether each was brought by one of twenty, and what is done with the order of the list meanwhile. */
const WAYS = {
  no_order: { isBrought: false, setUp: "ALTER TABLE waitlist DISABLE TRIGGER USER" },
  one_row: {
    isBrought: false,
    setUp: `ALTER TABLE waitlist DISABLE TRIGGER USER;
      CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN UPDATE waitlist_totals SET invited = invited; RETURN NULL; END';
      CREATE TRIGGER touch AFTER UPDATE ON waitlist FOR EACH STATEMENT EXECUTE FUNCTION touch()`,
  },
  alone: { isBrought: false, setUp: "" },
  brought: { isBrought: true, setUp: "" },
};

/**
 * How many confirm in a second, written to disk: brought by nobody, beside the same where no order is kept; and each brought by
 * somebody, who follow one another, beside the same where each writes one and the same row.
 */
async function measureConfirming(create: (name: string) => Promise<string>): Promise<Figure[]> {
  const sites = [];
  for (const [name, { isBrought, setUp }] of Object.entries(WAYS)) {
    const connection = connect(await create(name), AT_ONCE, () => {});
    await connection.pool.query(setUp);
    const bringers = (await createMembers(connection.pool, 20, true)).map(({ id }) => id);
    sites.push({ name, isBrought, bringers, ...connection, perSecond: [] as number[] });
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const site of sites) site.perSecond.push(await confirmMany(site));
  const values = Object.fromEntries(sites.map(({ name, perSecond }) => [name, medianOf(perSecond)]));
  const { no_order: noOrder = 0, one_row: oneRow = 0, alone = 0, brought = 0 } = values;
  console.log(`places confirmed a second, ${AT_ONCE} at once:`, values);
  for (const { pool } of sites) await endPool(pool);
  const least = 0.7;
  return [
    {
      name: "places confirmed a second, beside those of a list without order",
      value: alone / noOrder,
      unit: "×",
      limit: { least },
    },
    {
      name: "the same, each brought by a friend, beside all writing one row",
      value: brought / oneRow,
      unit: "×",
      limit: { least },
    },
  ];
}

/** @returns how many confirmed in a second */
async function confirmMany(
  site: DatabaseConnection & { isBrought: boolean; bringers: string[] },
): Promise<number> {
  const { db, pool, isBrought, bringers } = site;
  const members = await createMembers(pool, CONFIRMED, false);
  if (isBrought)
    await pool.query(
      "UPDATE waitlist SET referred_by = ($1::text[])[1 + abs(hashtext(id)) % 20] WHERE ticket IS NULL",
      [bringers],
    );
  const left = members.values();
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const { token } of left) await confirmPlace(db, SITE, token);
    }),
  );
  return CONFIRMED / ((performance.now() - begun) / 1000);
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
