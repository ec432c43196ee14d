import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../test/database.ts";
import { csvCell, csvResponse } from "./csv.server.ts";
import { type Cursor, encodeCursor } from "./list-query.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
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

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t'=1"],
  ["\r=1", "'\n'=1"],
  ["  =1", "'  =1"],
  ["\ufeff=1", "'\ufeff=1"],
  ["|calc", "'|calc"],
  ["＝1+1", "'＝1+1"],
  ["\u200b=1", "'\u200b=1"],
  ["a;=1", "a;'=1"],
  ["a,b\t@x", "a,b\t'@x"],
  ["two\r\n\r\n=lines", "two\n\n'=lines"],
  ['a";"=1', `a"";'""=1`],
  ["ends;", "ends;'"],
  ['=HYPERLINK("x";"y")', `'=HYPERLINK(""x"";""y"")`],
  ["1-2=3; 4", "1-2=3; 4"],
  ["plain, and more", "plain, and more"],
  ['a"b', 'a""b'],
  ["a\nb", "a\nb"],
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

function fileOf(readChunk: ReturnType<typeof readerOf>["read"], query = "", method = "GET") {
  const request = { method, url: `http://localhost/names.csv${query}` };
  const taker = { db: database.db, actor: { name: "npm run ops" } };
  const filters = { state: "open", email: "ada@example.com" };
  return csvResponse(request, taker, {
    name: "names",
    filters,
    columns: [["name", ({ name }) => name]],
    readChunk,
  });
}

test("a file has every row once, under a heading, each with the position to go on from", async () => {
  const { read } = readerOf(ROWS);
  const text = Buffer.from(await (await fileOf(read)).arrayBuffer()).toString();
  expect(text.startsWith('\ufeff"position","name"\r\n')).toBe(true);
  const lines = text.trimEnd().split("\r\n");
  expect(lines.slice(1).map((line) => line.split('"')[3])).toEqual(ROWS.map(({ name }) => name));
  const broken = lines.slice(0, 14);
  const position = broken.at(-1)?.split('"')[1] ?? "";
  const rest = Buffer.from(await (await fileOf(read, `?after=${position}`)).arrayBuffer()).toString();
  expect([...broken, ...rest.trimEnd().split("\r\n")]).toEqual(lines);
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

test("a list without rows is a file with its heading, and an entry in the log", async () => {
  const { read } = readerOf([]);
  expect(await (await fileOf(read)).text()).toBe('"position","name"\r\n');
  expect(await entries()).toMatchObject([
    { actor: "npm run ops", action: "list.downloaded", after: { rows: 0, ended: "whole" } },
  ]);
});

test("a whole file is an entry with the number of its rows, also when it took several reads", async () => {
  const { read } = readerOf(ROWS);
  await (await fileOf(read)).text();
  expect((await entries()).map(({ action, after }) => [action, after.rows, after.ended])).toEqual([
    ["list.download_began", 0, null],
    ["list.downloaded", 25, "whole"],
  ]);
});

test("who only asks for the headers takes nothing", async () => {
  const { read } = readerOf(ROWS);
  expect((await fileOf(read, "", "HEAD")).body).toBeNull();
  expect(await entries()).toEqual([]);
});

test.each(["", "x", "7", "WyIx", encodeURIComponent("=1+1"), "W10"])(
  "the position %j is a 400, and no entry",
  async (after) => {
    const { read } = readerOf(ROWS);
    const refused = await fileOf(read, `?after=${after}`).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400 });
    expect(await entries()).toEqual([]);
  },
);
