export interface CsvRecord {
  /** From 1. */
  line: number;
  cells: string[];
}

const DELIMITERS = ["\t", ";", ","];

/** RFC 4180, skipping blank rows. The delimiter that gives the most rows the same width. An unclosed quotation mark is literal. */
export function readRecords(
  text: string,
  limit: number,
): { records: CsvRecord[]; unclosedQuoteLine: number | null } {
  const readings = DELIMITERS.map((delimiter) => split(text, delimiter, limit));
  // On a tie the first wins: a comma occurs inside amounts and text more often than a tab.
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
    // Text after a closing quotation mark is malformed, but kept.
    plain.lastIndex = at;
    const rest = plain.exec(text)?.[0] ?? "";
    at += rest.length;
    return (quoted + rest).trim();
  }

  /** Does not advance when the closing quotation mark is missing. */
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
