import { rmSync } from "node:fs";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "../../test/database.ts";
import { findViolations, type Violation } from "./invariants.server.ts";
import { applyMigrations } from "./migrate.server.ts";
import { readMigrations, type Snapshot, writeMigrations } from "./migrations-folder.fixture.ts";
import { ROWS } from "./upgrade-rows.fixture.ts";

const migrations = readMigrations();
const tags = migrations.map(({ tag }) => tag);

/** A site's database at one version. */
interface Left {
  /** As it was left there. */
  found: Found;
  /** As it would be after upgrading to the newest version at once. */
  upgraded: Found & { violations: Violation[]; schema: unknown[] };
}

interface Found {
  tables: string[];
  /** By table, by primary key. */
  rows: Record<string, Record<string, Record<string, unknown>>>;
  access: unknown[];
}

/** What a migration does to rows of before on purpose: the columns that it writes or drops, or `null` for rows it deletes. */
const MEANT: Record<string, Record<string, readonly string[] | null>> = {
  "0004_rename_notice_owner": { outbox: ["kind"] },
  // All users had to sign in again, and the tokens and keys of the former library were dropped (decision 0034).
  "0005_sessions_of_our_own": {
    session: null,
    verification: null,
    jwks: ["alg", "crv", "expires_at"],
    account: [
      ...["access_token", "refresh_token", "id_token", "scope"],
      ...["access_token_expires_at", "refresh_token_expires_at"],
    ],
  },
  // Codes of batches had got the default of 0011.
  "0014_mark_codes_of_batches": { promo_codes: ["is_single"] },
  // Sums that triggers kept: counted by plain queries since (decision 0049).
  "0031_queue_position": { standing_sums: null, standing_changes: null, plans_to_count: null },
};

/** The ones before were made when every upgrade stopped the site. */
const FIRST_BESIDE = "0012";

const left = new Map<string, Left>();
/** By migration: what the version before it could no longer do. */
const broken = new Map<string, string[]>();
let url = "";
let drop: () => Promise<unknown>;

/** One site that makes every upgrade, as they came, and tries at each version what it would be to skip the others. */
beforeAll(async () => {
  ({ url, drop } = await createDatabase());
  for (const [index, tag] of tags.entries()) {
    const folder = writeMigrations(migrations.slice(0, index + 1));
    await applyMigrations(url, { folder });
    rmSync(folder, { recursive: true });
    await withClient(url, async (client) => {
      await client.query(ROWS[tag] ?? "");
      const found = await look(client);
      const before = migrations[index - 1]?.snapshot;
      if (before && tag >= FIRST_BESIDE) broken.set(tag, await findBroken(client, before));
      await client.query("BEGIN");
      for (const { sql } of migrations.slice(index + 1)) await client.query(sql);
      const upgraded = await look(client);
      const [violations, schema] = [await findViolations(client), await schemaOf(client)];
      await client.query("ROLLBACK");
      left.set(tag, { found, upgraded: { ...upgraded, violations, schema } });
    });
  }
});

afterAll(() => drop());

/** Asks the database at this URL, in one connection. */
async function withClient<Done>(at: string, work: (client: Client) => Promise<Done>): Promise<Done> {
  const client = new Client({ connectionString: at });
  await client.connect();
  return work(client).finally(() => client.end());
}

async function look(client: Client): Promise<Found> {
  const { rows: tables } = await client.query<{ name: string; all_rows: string }>(
    `SELECT relname AS name, format('SELECT %L AS name, (%s)::text AS key, to_jsonb(t) AS row FROM %s AS t', relname,
        (SELECT string_agg(quote_ident(attname), ' || ''/'' || ' ORDER BY attnum) FROM pg_attribute
          WHERE attrelid = c.oid AND attnum = ANY (conkey)), c.oid::regclass) AS all_rows
     FROM pg_class AS c JOIN pg_constraint ON conrelid = c.oid AND contype = 'p'
     WHERE relnamespace = 'public'::regnamespace`,
  );
  const all = await client.query(tables.map(({ all_rows: query }) => query).join(" UNION ALL "));
  const rows: Found["rows"] = {};
  for (const { name, key, row } of all.rows) {
    rows[name] ??= {};
    Object.assign(rows[name], { [key]: row });
  }
  const access = await client.query(
    "SELECT user_id, email, tier, status, source, promo_code, created_at, features FROM user_subscriptions ORDER BY user_id",
  );
  return { tables: tables.map(({ name }) => name), rows, access: access.rows };
}

/** A line for each column of an older version that is gone or asks for more, and each new one that its inserts would have to fill in. */
async function findBroken(client: Client, before: Snapshot): Promise<string[]> {
  const { rows } = await client.query<{ table: string; column: string; isRequired: boolean }>(`
    SELECT relname AS table, attname AS column, attnotnull AND NOT atthasdef AND attidentity = '' AS "isRequired"
    FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`);
  return Object.values(before.tables).flatMap(({ name, columns }) => {
    const now = rows.filter(({ table }) => table === name);
    const gone = Object.keys(columns).filter((column) => !now.some((one) => one.column === column));
    const asked = now.filter(({ column, isRequired }) => isRequired && !columns[column]?.notNull);
    return [
      ...gone.map((column) => `${name}.${column} is gone`),
      ...asked.map(({ column }) => `${name}.${column} must be filled in`),
    ];
  });
}

const schemaOf = async (client: Client) => (await client.query(SCHEMA)).rows;

/** What became of the rows that were there: a line for each that is gone, and for each value that changed. */
function findChanges(tag: string, before: Found["rows"], after: Found["rows"]): string[] {
  const later = tags.slice(tags.indexOf(tag) + 1).map((one) => MEANT[one] ?? {});
  return Object.entries(before).flatMap(([table, rows]) => {
    if (later.some((meant) => meant[table] === null)) return [];
    const written = later.flatMap((meant) => meant[table] ?? []);
    return Object.entries(rows).flatMap(([key, row]) => {
      const now = after[table]?.[key];
      if (!now) return [`${table} ${key} is gone`];
      return Object.entries(row).flatMap(([column, value]) =>
        written.includes(column) || JSON.stringify(now[column]) === JSON.stringify(value)
          ? []
          : [`${table} ${key}: ${column} was ${JSON.stringify(value)} and is ${JSON.stringify(now[column])}`],
      );
    });
  });
}

/** Columns, constraints, indexes, views, functions, triggers and sequences, as PostgreSQL itself writes them down. */
const SCHEMA = `
  SELECT 'column ' || attrelid::regclass || '.' || attname AS what,
    format_type(atttypid, atttypmod) || ' ' || attnotnull || ' ' || coalesce(pg_get_expr(adbin, adrelid), '') AS is
  FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S') AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT 'constraint ' || conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT 'index ' || indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT 'view ' || viewname, definition FROM pg_views WHERE schemaname = 'public'
  UNION ALL SELECT 'function ' || proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT 'trigger ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  ORDER BY 1`;

describe("a site that upgrades at once from", () => {
  test.each(tags)("%s has everything it had", (tag) => {
    const { found, upgraded } = left.get(tag) as Left;
    expect(findChanges(tag, found.rows, upgraded.rows)).toEqual([]);
    expect(upgraded.access).toEqual(found.access);
    expect(found.access.length).toBeGreaterThan(4);
    expect(upgraded.violations).toEqual([]);
  });
});

test("the version before can read and write what it declares on the schema of each version", async () => {
  for (const [tag, lines] of broken) expect([tag, lines]).toEqual([tag, []]);
  const newest = migrations.at(-1)?.snapshot as Snapshot;
  await withClient(url, async (client) => {
    await client.query(`BEGIN; ALTER TABLE waitlist DROP COLUMN name; ALTER TABLE waitlist ADD COLUMN title text;
      UPDATE waitlist SET title = ''; ALTER TABLE waitlist ALTER COLUMN title SET NOT NULL`);
    expect(await findBroken(client, newest)).toEqual([
      "waitlist.name is gone",
      "waitlist.title must be filled in",
    ]);
    await client.query("ROLLBACK");
  });
});

/** The ones before were made while no site had many rows. */
const FIRST_UNVALIDATED = "0038";

/** The statements that would read a whole table while nobody can write to it. */
function findScans(sql: string): string[] {
  const made = new Set(Array.from(sql.matchAll(/CREATE TABLE "(\w+)"/g), ([, table]) => table));
  return Array.from(
    sql.matchAll(/ALTER TABLE "(\w+)" ADD CONSTRAINT [^;]*? (?:CHECK|FOREIGN KEY) [^;]*/g),
    ([statement, table]) => ({ statement, table }),
  )
    .filter(({ statement, table }) => !made.has(table) && !/NOT VALID\s*$/.test(statement))
    .map(({ statement }) => statement);
}

test("a new check or foreign key on a table that was there is not validated in the same version", () => {
  const check = `ALTER TABLE "user" ADD CONSTRAINT "user_company_check" CHECK (length("user"."company") < 101)`;
  expect(
    findScans(`ALTER TABLE "user" ADD COLUMN "company" text;--> statement-breakpoint\n${check};`),
  ).toEqual([check]);
  expect(findScans(`${check} NOT VALID;`)).toEqual([]);
  expect(findScans(`CREATE TABLE "user" ("id" text);\n${check};`)).toEqual([]);
  for (const { tag, sql } of migrations)
    if (tag >= FIRST_UNVALIDATED) expect([tag, findScans(sql)]).toEqual([tag, []]);
});

test("each migration is newer than the one before it, or databases would go without it", () => {
  const times = migrations.map(({ when }) => when);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
});

test("whatever the way, the schema is that of a site that starts today", async () => {
  const fresh = await createDatabase();
  await applyMigrations(fresh.url);
  const schema = await withClient(fresh.url, schemaOf);
  expect(schema.length).toBeGreaterThan(500);
  for (const { upgraded } of left.values()) expect(upgraded.schema).toEqual(schema);
  await fresh.drop();
});

test("every table has had rows to lose by the time another migration follows it", () => {
  const { tables, rows } = (left.get(tags.at(-2) ?? "") as Left).found;
  expect(tables.filter((table) => !rows[table])).toEqual([]);
});
