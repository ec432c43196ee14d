import { ReadableStream } from "node:stream/web";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import type { ListPage } from "./keyset.server.ts";

export const CSV_CHUNK = 1_000;

type Value = string | number | boolean | Date | null;

/** Instants are written in ISO 8601. */
export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => Value];

export interface Taker {
  db: Queryable;
  actor: Actor;
}

interface CsvFile<Row> {
  name: string;
  filters: Readonly<Record<string, string>>;
  columns: readonly CsvColumn<Row>[];
  readChunk: (after: string | null) => Promise<ListPage<Row>>;
}

/** `null`: it begins, and another entry follows. */
type Ended = "whole" | "broken_off" | null;

/** Without a byte order mark, spreadsheets assume a local encoding. */
export const CSV_START = "\ufeff";

/** Shortened in the audit log, where they would outlive their account. */
const PERSONAL_FILTERS = new Set(["email", "name", "recipient"]);

/** Read as fast as it is sent, so that its length costs no memory (RFC 4180). Audited before anything is sent. */
export async function csvResponse<Row>(
  { method }: Pick<Request, "method">,
  taker: Taker,
  { name, filters, columns, readChunk }: CsvFile<Row>,
): Promise<Response> {
  const first = await readChunk(null);
  if (method === "HEAD") return csvFile(name, null);
  const note = (rows: number, ended: Ended) => noteDownload(taker, name, { filters, rows, ended });
  await note(first.next ? 0 : first.rows.length, first.next ? null : "whole");
  // Read as it is sent, and told when nobody takes more.
  return csvFile(name, ReadableStream.from(encoded()) as BodyInit);

  async function* encoded() {
    const encoder = new TextEncoder();
    let rows = 0;
    let isNoted = first.next === null;
    try {
      let page = first;
      yield encoder.encode(CSV_START + csvLine(columns.map(([column]) => column)));
      for (;;) {
        rows += page.rows.length;
        if (!page.next && !isNoted) await note(rows, "whole").then(() => (isNoted = true));
        const lines = page.rows.map((row) => csvLine(columns.map(([, value]) => value(row))));
        if (lines.length > 0) yield encoder.encode(lines.join(""));
        if (!page.next) return;
        page = await readChunk(page.next);
      }
    } finally {
      if (!isNoted) await note(rows, "broken_off");
    }
  }
}

export function csvFile(name: string, body: BodyInit | null): Response {
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      "Cache-Control": "no-store",
    },
  });
}

export function noteDownload(
  { db, actor }: Taker,
  list: string,
  details: { filters: CsvFile<never>["filters"]; rows: number; ended: Ended },
): Promise<void> {
  const filters = Object.entries(details.filters).map(([filter, value]) => [
    filter,
    PERSONAL_FILTERS.has(filter) && value.length > 3 ? `${value.slice(0, 3)}…` : value,
  ]);
  return recordChange(db, actor, {
    action: details.ended ? "list.downloaded" : "list.download_began",
    subject: `list:${list}`,
    after: { ...details, filters: Object.fromEntries(filters) },
  });
}

export function csvLine(values: readonly Value[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}

/** Where a cell may begin: at the start, after separators of any country, and on a new line. */
const CELL = /(?<=^|[,;\t\n\v\f\x85\u2028\u2029])/u.source;
/** What readers skip at the start of a cell. */
const SKIPPED = /(?:(?![\t\n\v\f\x85\u2028\u2029])["\s\p{C}])*/u.source;
/** What spreadsheets take for a formula's start, including wide and small forms. */
const FORMULA = /[=+\-@\t|%＝＋－＠﹦﹢﹣﹫]/u.source;
const DANGER = new RegExp(`${CELL}(?=${SKIPPED}${FORMULA})|^(?=\\n)|(?!^)${CELL}(?=${SKIPPED}$)`, "gu");

/** Quotes each cell: readers choose their own separator. An apostrophe defuses a formula (OWASP, CSV Injection). */
export function csvCell(value: Value): string {
  const text = value instanceof Date ? value.toISOString() : String(value ?? "");
  const neutral = typeof value === "string" ? text.replaceAll(/\r\n?/g, "\n").replaceAll(DANGER, "'") : text;
  return `"${neutral.replaceAll('"', '""')}"`;
}
