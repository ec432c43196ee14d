import { expect, test } from "vitest";
import { csvCell, csvResponse } from "./csv.server.ts";
import { type Cursor, encodeCursor } from "./list-query.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["|calc", "'|calc"],
  ["＝1+1", "'＝1+1"],
  ['=HYPERLINK("x";"y")', `"'=HYPERLINK(""x"";""y"")"`],
  ["plain", "plain"],
  ["a,b", '"a,b"'],
  ['a"b', '"a""b"'],
  ["a\nb", '"a\nb"'],
  [-1, "-1"],
  [null, ""],
  [true, "true"],
  [new Date(0), "1970-01-01T00:00:00.000Z"],
] as const)("%j is written as %j", (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});

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

test("a file has every row once, under a heading, each with the position to go on from", async () => {
  const { read } = readerOf(ROWS);
  const text = await csvResponse("names", [["name", ({ name }) => name]], read, null).text();
  const lines = text.trimEnd().split("\r\n");
  expect(lines[0]).toBe("position,name");
  expect(lines.slice(1).map((line) => line.split(",")[1])).toEqual(ROWS.map(({ name }) => name));
  const broken = lines.slice(0, 14);
  const position = broken.at(-1)?.split(",")[0] ?? "";
  const rest = await csvResponse("names", [["name", ({ name }) => name]], read, position).text();
  expect([...broken, ...rest.trimEnd().split("\r\n")]).toEqual(lines);
});

test("nothing is read ahead of a reader who stops taking", async () => {
  const reader = readerOf(ROWS);
  const { body } = csvResponse("names", [["name", ({ name }) => name]], reader.read, null);
  const taking = body?.getReader();
  await taking?.read();
  await new Promise((resolve) => setImmediate(resolve));
  expect(reader.reads).toBeLessThanOrEqual(2);
  await taking?.cancel();
  expect(reader.reads).toBeLessThanOrEqual(2);
});

test("a list without rows is a file with its heading", async () => {
  const { read } = readerOf([]);
  expect(await csvResponse("names", [["name", ({ name }) => name]], read, null).text()).toBe(
    "position,name\r\n",
  );
});
