import { amountOf, type Figure, limitOf, stateOf } from "./figures.ts";

/** A figure as the tables show it, and as it is read from there again. */
export interface Row {
  benchmark: string;
  figure: string;
  /** With its unit, such as "0.93×"; "–" when there is none. */
  value: string;
  limit: string;
  /** A state of figures.ts; after "not measured" the reason, if there is one. */
  state: string;
  /** When, at which commit, how busy the machine was otherwise, and which it is. */
  measured: string;
}

/** What one benchmark gave. */
export interface Outcome {
  benchmark: string;
  figures: readonly Figure[];
  /** Why there are none: it failed, or needs what is not installed. */
  failure?: string;
  /** This machine has not got what it needs: what was measured elsewhere is no worse for that, and stays. */
  cannotRunHere?: boolean;
  measured: string;
}

const COLUMNS = ["command", "figure", "value", "limit", "", "measured"];
/** Of these columns the numbers stand below each other. */
const TO_THE_RIGHT = new Set(["value"]);
const COMMAND = "npm run bench -- ";
/** Stands for all figures of a benchmark that gave none. */
const ALL_OF_IT = "all of it";

/** One row for each figure; one that says why for a benchmark without any. */
export function rowsOf({ benchmark, figures, failure, measured }: Outcome): Row[] {
  const rows = figures.map((figure) => ({
    benchmark,
    figure: figure.name,
    value: amountOf(figure),
    limit: limitOf(figure),
    state: stateOf(figure),
    measured,
  }));
  if (failure === undefined && rows.length > 0) return rows;
  const state = `not measured: ${failure ?? "it gave no figure"}`;
  return [...rows, { benchmark, figure: ALL_OF_IT, value: "–", limit: "", state, measured }];
}

/**
 * The rows of a table after some benchmarks ran: theirs anew, those of others as they were, in the order of the benchmarks.
 * One that never ran is in it as well, and one that no longer exists is not.
 */
export function mergeRows(
  before: readonly Row[],
  outcomes: readonly Outcome[],
  benchmarks: readonly string[],
): Row[] {
  const after = outcomes.filter(({ cannotRunHere }) => !cannotRunHere).flatMap(rowsOf);
  return benchmarks.flatMap((benchmark) => {
    const of = (rows: readonly Row[]) => rows.filter((row) => row.benchmark === benchmark);
    const [fresh, kept] = [of(after), of(before)];
    if (fresh.length > 0) return fresh;
    if (kept.length > 0) return kept;
    return rowsOf({ benchmark, figures: [], failure: "never", measured: "" });
  });
}

export function formatRows(rows: readonly Row[]): string {
  return formatTable(
    COLUMNS,
    rows.map((row) => [
      `\`${COMMAND}${row.benchmark}\``,
      row.figure,
      row.value,
      row.limit,
      row.state,
      row.measured,
    ]),
    TO_THE_RIGHT,
  );
}

/** What `formatRows` made; nothing for a text without such a table. */
export function readRows(markdown: string): Row[] {
  return readCells(markdown)
    .filter(
      ([command, ...cells]) => command?.startsWith(`\`${COMMAND}`) && cells.length === COLUMNS.length - 1,
    )
    .map(([command = "", figure = "", value = "", limit = "", state = "", measured = ""]) => ({
      benchmark: command.slice(COMMAND.length + 1, -1),
      ...{ figure, value, limit, state, measured },
    }));
}

/** The cells of every line of a table, its head and its rule included. */
export function readCells(markdown: string): string[][] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("\\|", "|")),
    );
}

/** A table in Markdown whose columns stand below each other in the source, too. */
export function formatTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  toTheRight: ReadonlySet<string>,
): string {
  const cells = [columns, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = columns.map((_, at) => Math.max(3, ...cells.map((row) => (row[at] ?? "").length)));
  const isRight = columns.map((column) => toTheRight.has(column));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => (isRight[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join(" | ")} |`;
  const [head = [], ...body] = cells;
  const rule = widths.map((width, at) => (isRight[at] ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  return [line(head), line(rule), ...body.map(line)].join("\n");
}

/** The text with what stands between `<!-- NAME -->` and `<!-- -->` replaced. @throws when it has no such place */
export function replaceBetween(markdown: string, name: string, content: string): string {
  const place = new RegExp(`(<!-- ${name} -->)[\\s\\S]*?(<!-- -->)`);
  if (!place.test(markdown)) throw new Error(`there is no place for ${name}`);
  return markdown.replace(place, (_, start: string, end: string) => `${start}\n\n${content}\n\n${end}`);
}

/** What stands there. */
export function textBetween(markdown: string, name: string): string {
  return new RegExp(`<!-- ${name} -->([\\s\\S]*?)<!-- -->`).exec(markdown)?.[1]?.trim() ?? "";
}
