import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../test/database.ts";
import { csvCell, csvResponse } from "./csv.server.ts";
import { readPage } from "./keyset.server.ts";
import {
  type Cursor,
  changeQuery,
  encodeCursor,
  type ListQuery,
  type ListRules,
  readListQuery,
} from "./list-query.ts";

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

beforeEach(async () => {
  newestBefore = (await entries(0)).at(-1)?.id ?? 0;
});

afterAll(() => database.close());

let newestBefore = 0;

/** What the audit log says of files, since an entry. */
async function entries(since = newestBefore) {
  const { rows } = await database.pool.query(
    "SELECT id::int, actor, action, subject, after FROM audit_log WHERE id > $1 ORDER BY id",
    [since],
  );
  return rows;
}

// That none begins a formula is tested of every list in formulas.site.test.ts.
test.each([
  ["\r=1", "'\n'=1"],
  ["  =1", "'  =1"],
  ["a,b\t@x", "a,b\t'@x"],
  ['a";"=1', `a"";'""=1`],
  ["ends;", "ends;'"],
  ["1-2=3; 4", "1-2=3; 4"],
  ['a"b\nc', 'a""b\nc'],
  ["", ""],
  [12, "12"],
  [null, ""],
  [true, "true"],
  [new Date(0), "1970-01-01T00:00:00.000Z"],
] as const)("%j is written as %j, in quotes", (value, cell) => {
  expect(csvCell(value)).toBe(`"${cell}"`);
});

test("a long text is written in a time that grows with its length", () => {
  for (const part of [" ", "\n", '"', ";", "\t", "\u200b", "; "]) csvCell(part.repeat(200_000));
}, 2_000);

interface Row {
  cursor: Cursor;
  name: string;
}

const ROWS: Row[] = Array.from({ length: 25 }, (_, index) => ({
  cursor: [`${index}`, "id"],
  name: `n${index}`,
}));

/** Chunks of ten, and how many were read. */
function readerOf(rows: readonly Row[]) {
  const reader = {
    reads: 0,
    async read(after: string | null) {
      reader.reads++;
      const start = after === null ? 0 : rows.findIndex(({ cursor }) => encodeCursor(cursor) === after) + 1;
      const chunk = rows.slice(start, start + 10);
      const last = chunk.at(-1);
      const next = start + 10 < rows.length && last ? encodeCursor(last.cursor) : null;
      return { rows: chunk, next, previous: null };
    },
  };
  return reader;
}

function fileOf(readChunk: ReturnType<typeof readerOf>["read"], method = "GET") {
  const taker = { db: database.db, actor: { name: "npm run ops" } };
  const filters = { state: "open", email: "ada@example.com" };
  return csvResponse({ method }, taker, {
    name: "names",
    filters,
    columns: [["name", ({ name }) => name]],
    readChunk,
  });
}

test("a file has every row once, under a heading", async () => {
  const { read } = readerOf(ROWS);
  const text = Buffer.from(await (await fileOf(read)).arrayBuffer()).toString();
  expect(text.startsWith('\ufeff"name"\r\n')).toBe(true);
  const lines = text.trimEnd().split("\r\n");
  expect(lines.slice(1).map((line) => line.split('"')[1])).toEqual(ROWS.map(({ name }) => name));
});

test("nothing is read ahead of a reader who stops taking, and the log says how many rows they could have taken", async () => {
  const reader = readerOf(ROWS);
  const { body } = await fileOf(reader.read);
  const taking = body?.getReader();
  await taking?.read();
  await taking?.read();
  await new Promise((resolve) => setImmediate(resolve));
  expect(reader.reads).toBeLessThanOrEqual(2);
  await taking?.cancel();
  expect(reader.reads).toBeLessThanOrEqual(2);
  const file = { filters: { state: "open", email: "ada…" } };
  expect(await entries()).toMatchObject([
    { action: "list.download_began", subject: "list:names", after: { ...file, rows: 0, ended: null } },
    { action: "list.downloaded", subject: "list:names", after: { ...file, rows: 10, ended: "broken_off" } },
  ]);
});

test("a whole file is an entry with the number of its rows, also when it took several reads", async () => {
  await (await fileOf(readerOf(ROWS).read)).text();
  expect(await (await fileOf(readerOf([]).read)).text()).toBe('"name"\r\n');
  expect(
    (await entries()).map(({ actor, action, after }) => [actor, action, after.rows, after.ended]),
  ).toEqual([
    ["npm run ops", "list.download_began", 0, null],
    ["npm run ops", "list.downloaded", 25, "whole"],
    ["npm run ops", "list.downloaded", 0, "whole"],
  ]);
});

test("who only asks for the headers takes nothing", async () => {
  const { read } = readerOf(ROWS);
  expect((await fileOf(read, "HEAD")).body).toBeNull();
  expect(await entries()).toEqual([]);
});

const THINGS = { sorts: ["at"], isDescending: false, filters: [] };
const BY_TIME = { by: sql`at`, type: "timestamptz", id: sql`id` };

function readThings(query: Pick<ListQuery, "isDescending" | "from">) {
  return readPage(
    BY_TIME,
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
  let query = readListQuery(new URLSearchParams({ sort }), THINGS);
  let previous: string | null = null;
  for (;;) {
    const page = await readThings(query);
    pages.push(page.rows.map(({ id }) => id));
    previous = page.previous;
    if (page.next === null) break;
    query = readListQuery(new URLSearchParams({ sort, after: page.next }), THINGS);
  }
  expect(pages.flat()).toEqual(all);
  const back: string[][] = [];
  while (previous !== null) {
    const page = await readThings(readListQuery(new URLSearchParams({ sort, before: previous }), THINGS));
    back.unshift(page.rows.map(({ id }) => id));
    expect(page.next).not.toBeNull();
    previous = page.previous;
  }
  expect(back.flat()).toEqual(pages.slice(0, -1).flat());
});

test("a cursor that is no value of its column is refused, not a fault of ours", async () => {
  const from = { cursor: ["yesterday-ish", "x"], direction: "after" } as const;
  await expect(readThings({ isDescending: false, from })).rejects.toMatchObject({ init: { status: 400 } });
});

const RULES: ListRules = { sorts: ["created", "email"], isDescending: true, filters: ["plan", "email"] };
const read = (query: string) => readListQuery(new URLSearchParams(query), RULES);

test.each([
  ["", "created", true],
  ["sort=email", "email", false],
  ["sort=-email", "email", true],
  ["sort=password", "created", true],
  ["sort=--email", "created", true],
])("%s", (query, sort, isDescending) => {
  expect(read(query)).toMatchObject({ sort, isDescending });
});

test("filters are trimmed, blank and unknown ones left out, long ones cut, and no NUL is kept", () => {
  expect(read(`plan=+basic%00+&email=+&other=1`).filters).toEqual({ plan: "basic" });
  expect(read(`email=${"x".repeat(10_000)}`).filters.email).toHaveLength(254);
});

test("a cursor comes back as it was, whatever is in it", () => {
  const cursor = ["2026-11-22 14:00:00.123456+00", 'ключ, "1"'] as const;
  expect(read(`after=${encodeCursor(cursor)}`).from).toEqual({ cursor, direction: "after" });
  expect(read(`before=${encodeCursor(cursor)}`).from).toEqual({ cursor, direction: "before" });
});

test.each(["x", "%00", "W10", "WyIxIl0", "WzEsMl0", "bnVsbA", "A".repeat(3_000)])(
  "the cursor %.20s is as if it were absent",
  (cursor) => {
    expect(read(`after=${cursor}`).from).toBeNull();
  },
);

test("changing the query of a list leaves the rest of it", () => {
  expect(changeQuery("?plan=basic&after=x", { after: null, sort: "-email" })).toBe("?plan=basic&sort=-email");
  expect(changeQuery("?after=x", { after: null })).toBe("");
  // What was said of a press is not said again.
  expect(changeQuery("?plan=basic&said=due-2", { after: "x" })).toBe("?plan=basic&after=x");
  expect(changeQuery("?said=due-2", { said: "done" })).toBe("?said=done");
});
