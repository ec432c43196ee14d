/** A row of a CSV text. */
export interface CsvRecord {
  /** The line of the text it starts on, from 1. */
  line: number;
  cells: string[];
}

const DELIMITERS = ["\t", ";", ","];

/**
 * The rows of a CSV text (RFC 4180), blank ones left out, split at whichever of tab, semicolon and comma makes most
 * rows equally wide; and the line of a quotation mark that is never closed, which then stands for itself.
 *
 * @param limit how many rows to read
 */
export function readRecords(
  text: string,
  limit: number,
): { records: CsvRecord[]; unclosedQuoteLine: number | null } {
  const readings = DELIMITERS.map((delimiter) => split(text, delimiter, limit));
  // The first of the best: a comma is part of an amount or of a sentence more often than a tab is.
  return readings.reduce((best, reading) => (evenness(reading) > evenness(best) ? reading : best));
}

function evenness({ records }: { records: CsvRecord[] }): number {
  const rowsByWidth = new Map<number, number>();
  for (const { cells } of records) rowsByWidth.set(cells.length, (rowsByWidth.get(cells.length) ?? 0) + 1);
  rowsByWidth.delete(1);
  return Math.max(0, ...rowsByWidth.values());
}

function split(text: string, delimiter: string, limit: number) {
  const records: CsvRecord[] = [];
  const plain = new RegExp(`[^${delimiter}\r\n]*`, "y");
  let unclosedQuoteLine: number | null = null;
  let line = 1;
  let at = 0;

  while (at < text.length && records.length < limit) {
    const record: CsvRecord = { line, cells: [readCell()] };
    while (text[at] === delimiter) {
      at++;
      record.cells.push(readCell());
    }
    if (text.startsWith("\r\n", at)) at++;
    at++;
    line++;
    if (record.cells.some((cell) => cell !== "")) records.push(record);
  }
  return { records, unclosedQuoteLine };

  function readCell(): string {
    while (text[at] === " ") at++;
    const quoted = text[at] === '"' && unclosedQuoteLine === null ? readQuoted() : "";
    // What follows a closing quotation mark is somebody's mistake, and kept.
    plain.lastIndex = at;
    const rest = plain.exec(text)?.[0] ?? "";
    at += rest.length;
    return (quoted + rest).trim();
  }

  /** Reads from one quotation mark to the one that closes it; stays where it is when there is none. */
  function readQuoted(): string {
    let value = "";
    let from = at + 1;
    for (;;) {
      const quote = text.indexOf('"', from);
      if (quote === -1) {
        unclosedQuoteLine = line;
        return "";
      }
      value += text.slice(from, quote);
      if (text[quote + 1] !== '"') {
        at = quote + 1;
        line += value.split(/\r\n|\r|\n/).length - 1;
        return value;
      }
      value += '"';
      from = quote + 2;
    }
  }
}
