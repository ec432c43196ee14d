import type { ListPage } from "./keyset.server.ts";
import { type Cursor, encodeCursor } from "./list-query.ts";

/** Rows read at a time, and so kept in memory. */
export const CSV_CHUNK = 1_000;

/** The name of a column and its value in a row. Instants are written in ISO 8601. */
export type CsvColumn<Row> = readonly [
  name: string,
  value: (row: Row) => string | number | boolean | Date | null,
];

/** The first column: what a download that broke off is gone on with, as `?after=`. */
const POSITION = "position";

/**
 * A list as a CSV file (RFC 4180), read as fast as it is taken, so that neither its length nor a slow reader costs memory.
 *
 * @param name of the file, without extension
 * @param readChunk the page of at most CSV_CHUNK rows after this cursor; `null`: the first
 */
export function csvResponse<Row extends { cursor: Cursor }>(
  name: string,
  columns: readonly CsvColumn<Row>[],
  readChunk: (after: string | null) => Promise<ListPage<Row>>,
  start: string | null,
): Response {
  const encoder = new TextEncoder();
  let after: string | null = start;
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { rows, next } = await readChunk(after);
      const header = isFirst && !start ? [[POSITION, ...columns.map(([column]) => column)]] : [];
      const lines = rows.map((row) => [encodeCursor(row.cursor), ...columns.map(([, value]) => value(row))]);
      const text = [...header, ...lines].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
      isFirst = false;
      after = next;
      if (text) controller.enqueue(encoder.encode(text));
      if (next === null) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      "Cache-Control": "no-store",
    },
  });
}

/**
 * A value as a cell. Spreadsheets take text that begins with one of these characters for a formula, and what people type
 * here is theirs to choose: an apostrophe makes it text (OWASP, CSV Injection). Some take the wide forms as well.
 */
export function csvCell(value: string | number | boolean | Date | null): string {
  if (value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = value instanceof Date ? value.toISOString() : value;
  const neutral = /^[=+\-@\t\r\n|%＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(neutral) ? `"${neutral.replaceAll('"', '""')}"` : neutral;
}
