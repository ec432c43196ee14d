import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../test/database.ts";
import { readPage } from "./keyset.server.ts";
import { type Cursor, type ListQuery, readListQuery } from "./list-query.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
  // Three rows share each instant: the id tells them apart.
  await database.pool.query(`CREATE TABLE things (id text PRIMARY KEY, at timestamptz NOT NULL)`);
  await database.pool.query(
    `INSERT INTO things SELECT 'thing-' || lpad(n::text, 3, '0'), '2026-01-01'::timestamptz + (n / 3) * interval '1.000001 seconds'
     FROM generate_series(0, 99) AS n`,
  );
});
afterAll(() => database.close());

const RULES = { sorts: ["at"], isDescending: false, filters: [] };
const KEYSET = { by: sql`at`, type: "timestamptz", id: sql`id`, idType: "text" } as const;

function read(query: Pick<ListQuery, "isDescending" | "from">) {
  return readPage(
    KEYSET,
    query,
    async ({ where, orderBy, limit, cursor }) => {
      const { rows } = await database.db.execute<{ id: string; cursor: Cursor }>(
        sql`SELECT id, ${cursor} AS cursor FROM things WHERE ${where ?? sql`true`} ORDER BY ${sql.join(orderBy, sql`, `)} LIMIT ${limit}`,
      );
      return rows;
    },
    7,
  );
}

test.each(["at", "-at"])("every row is on one page, forwards and back again, by %s", async (sort) => {
  const { rows } = await database.pool.query("SELECT id FROM things ORDER BY at, id");
  const all = rows.map(({ id }) => id);
  if (sort.startsWith("-")) all.reverse();
  const pages: string[][] = [];
  let query = readListQuery(new URLSearchParams({ sort }), RULES);
  let previous: string | null = null;
  for (;;) {
    const page = await read(query);
    pages.push(page.rows.map(({ id }) => id));
    previous = page.previous;
    if (page.next === null) break;
    query = readListQuery(new URLSearchParams({ sort, after: page.next }), RULES);
  }
  expect(pages.flat()).toEqual(all);
  const back: string[][] = [];
  while (previous !== null) {
    const page = await read(readListQuery(new URLSearchParams({ sort, before: previous }), RULES));
    back.unshift(page.rows.map(({ id }) => id));
    expect(page.next).not.toBeNull();
    previous = page.previous;
  }
  expect(back.flat()).toEqual(pages.slice(0, -1).flat());
});

test("a cursor that is no value of its column is refused, not a fault of ours", async () => {
  const from = { cursor: ["yesterday-ish", "x"], direction: "after" } as const;
  await expect(read({ isDescending: false, from })).rejects.toMatchObject({ init: { status: 400 } });
});
