import { Pool } from "pg";
import { connect, type DatabaseConnection, endPool } from "../app/db/client.server.ts";
import { findViolations } from "../app/db/invariants.server.ts";
import { confirmPlace } from "../app/waitlist/confirm.server.ts";
import { CONFIG, createMembers } from "../app/waitlist/members.fixture.ts";
import { playEvents, randomEvents, readList, statementOf } from "../app/waitlist/order.fixture.ts";
import startCluster from "../test/cluster.ts";
import { createMigratedDatabase, onCluster } from "../test/database.ts";
import { rollDice } from "../test/dice.ts";
import { medianOf } from "../test/median.ts";
import type { Figure } from "./figures.ts";
import { measurePlaces } from "./waitlist-places.ts";

const DEFAULT_SIZES = [1_000, 100_000, 1_000_000, 10_000_000];
const ROUNDS = 11;
const HISTORIES = 10_000;
/** Databases in which histories are played at the same time. */
const HISTORIES_AT_ONCE = 2;
/** People who confirm in a round, at once so many. */
const CONFIRMED = 320;
const AT_ONCE = 32;

/**
 * The waitlist as it grows: how long a place's number takes to find, in databases of so many members side by side, and how many
 * confirm in a second; and its order, after thousands of histories at random, beside the rules played one by one.
 *
 * `npm run bench -- waitlist 1000 1000000`: with lists of these sizes instead
 */
export async function run(): Promise<Figure[]> {
  const sizes = process.argv.slice(3).map(Number);
  // Ends with this process, whatever ends it.
  const endCluster = await startCluster();
  try {
    for (const setting of ["fsync", "full_page_writes", "synchronous_commit"])
      await onCluster(`ALTER SYSTEM SET ${setting} = on`);
    await onCluster("SELECT pg_reload_conf()");
    return [
      ...(await measurePlaces(createUrl, sizes.length > 0 ? sizes : DEFAULT_SIZES)),
      ...(await measureConfirming()),
      await compareHistories(),
    ];
  } finally {
    await endCluster();
  }
}

const createUrl = async () => (await createMigratedDatabase()).url;

/**
 * Those who confirm: whether each was brought by one of twenty, what is done with the order of the list meanwhile, and whether each of
 * those at once is a process of their own, as it were, so that none share a transaction.
 */
const WAYS: Record<string, { isBrought: boolean; isApart?: boolean; setUp: string }> = {
  no_order: { isBrought: false, isApart: true, setUp: "ALTER TABLE waitlist DISABLE TRIGGER USER" },
  one_row: {
    isBrought: false,
    setUp: `ALTER TABLE waitlist DISABLE TRIGGER USER;
      CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN UPDATE waitlist_totals SET invited = invited; RETURN NULL; END';
      CREATE TRIGGER touch AFTER UPDATE ON waitlist FOR EACH STATEMENT EXECUTE FUNCTION touch()`,
  },
  alone: { isBrought: false, isApart: true, setUp: "" },
  brought: { isBrought: true, setUp: "" },
  apart: { isBrought: true, isApart: true, setUp: "" },
};

/**
 * How many confirm in a second, written to disk: brought by nobody, beside the same where no order is kept, each in a transaction,
 * so that what keeping it costs is all there is to see; and each brought by somebody, who follow one another, beside the same where
 * each writes one and the same row, and beside a transaction for each.
 */
async function measureConfirming(): Promise<Figure[]> {
  const sites: Site[] = [];
  for (const [name, { isBrought, isApart = false, setUp }] of Object.entries(WAYS)) {
    const url = await createUrl();
    const connections = Array.from({ length: isApart ? AT_ONCE : 1 }, () =>
      connect(url, isApart ? 1 : AT_ONCE, () => {}),
    );
    const pool = new Pool({ connectionString: url, max: 1 });
    // What is prepared, not what is measured.
    await pool.query("SET synchronous_commit = off");
    await pool.query(setUp);
    const bringers = (await createMembers(pool, 20, true)).map(({ id }) => id);
    sites.push({ name, isBrought, bringers, connections, pool, perSecond: [] });
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const site of sites) site.perSecond.push(await confirmMany(site));
  const values = Object.fromEntries(sites.map(({ name, perSecond }) => [name, medianOf(perSecond)]));
  const { no_order: noOrder = 0, one_row: oneRow = 0, alone = 0, brought = 0, apart = 0 } = values;
  console.log(`places confirmed a second, ${AT_ONCE} at once:`, values);
  for (const { pool, connections } of sites)
    await Promise.all([pool, ...connections.map((connection) => connection.pool)].map(endPool));
  return [
    {
      name: "places confirmed a second, a transaction for each, beside a list without order",
      value: alone / noOrder,
      unit: "×",
      limit: { least: 0.7 },
    },
    {
      name: "places confirmed a second, each brought by a friend, beside all writing one row",
      value: brought / oneRow,
      unit: "×",
      limit: { least: 0.5 },
    },
    {
      name: "the same, beside a transaction for each",
      value: brought / apart,
      unit: "×",
      limit: { least: 2 },
    },
  ];
}

interface Site {
  name: string;
  isBrought: boolean;
  bringers: string[];
  /** Of the site; more than one are used by one caller each. */
  connections: DatabaseConnection[];
  /** To prepare. */
  pool: Pool;
  perSecond: number[];
}

/** @returns how many confirmed in a second */
async function confirmMany({ connections, pool, isBrought, bringers }: Site): Promise<number> {
  const members = await createMembers(pool, CONFIRMED, false);
  if (isBrought)
    await pool.query(
      "UPDATE waitlist SET referred_by = ($1::text[])[1 + abs(hashtext(id)) % 20] WHERE ticket IS NULL",
      [bringers],
    );
  const left = members.values();
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, caller) => {
      const connection = connections[caller % connections.length];
      if (!connection) throw new Error("a site has no connection");
      for (const { id } of left) await confirmPlace(connection.db, CONFIG, id);
    }),
  );
  return CONFIRMED / ((performance.now() - begun) / 1000);
}

/** How many histories end in another order than the one of the rules. */
async function compareHistories(): Promise<Figure> {
  const begun = performance.now();
  const histories = Array.from({ length: HISTORIES }, (_, history) => history).values();
  let different = 0;
  const compare = async (url: string) => {
    const pool = new Pool({ connectionString: url, max: 1 });
    // Nobody needs it after a power cut.
    await pool.query("SET synchronous_commit = off");
    for (const history of histories) if (!(await isByTheRules(pool, history))) different++;
    await endPool(pool);
  };
  const urls: string[] = [];
  for (let index = 0; index < HISTORIES_AT_ONCE; index++) urls.push(await createUrl());
  await Promise.all(urls.map(compare));
  console.log(`${HISTORIES} histories in ${Math.round((performance.now() - begun) / 1000)} s`);
  return {
    name: `histories of ${HISTORIES} whose order is not that of the rules`,
    value: different,
    unit: "",
    limit: { most: 0 },
  };
}

/** Plays a history at random, the same for the same number, in the database and by the rules. */
async function isByTheRules(pool: Pool, history: number): Promise<boolean> {
  const dice = rollDice(history);
  const events = randomEvents(dice, 10 + Math.floor(dice() * 50), [1, 30, 400, 5_000][history % 4] ?? 1);
  // What the last one left goes without its triggers.
  await pool.query(
    `SET session_replication_role = replica;
     DELETE FROM waitlist; DELETE FROM waitlist_invitations; DELETE FROM waitlist_counts; DELETE FROM waitlist_slots;
     DELETE FROM waitlist_referrers; DELETE FROM standing_changes; UPDATE waitlist_totals SET counted_before = 0, invited = 0;
     RESET session_replication_role; ${events.map(statementOf).join(";")}`,
  );
  const found = await readList(pool).catch(() => null);
  const isSound = history % 100 > 0 || (await findViolations(pool)).length === 0;
  return JSON.stringify(found) === JSON.stringify(playEvents(events)) && isSound;
}
