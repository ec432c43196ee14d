import type { CsvRecord } from "./csv-records.ts";
import { readAmount } from "./read-amount.ts";

/** More columns than any bank exports; further ones are ignored. */
const MAX_COLUMNS = 40;
const BALANCE = /balance|saldo|solde/i;
const MONEY_IN = /credit|\bin\b|deposit|haben/i;

/** The rows of a statement without its header, with accessors for their text and amount. */
export interface Table {
  rows: CsvRecord[];
  /** The bank's text; "" when the row has none. */
  textOf(row: CsvRecord): string;
  /** In minor units, spending negative; `null` when the row has none. */
  amountOf(row: CsvRecord): number | null;
  /** Which columns the amounts are from, when there was more than one candidate. */
  amountsFrom: string | null;
}

interface Column {
  index: number;
  header: string;
  /** One for each row. */
  cells: string[];
}

/**
 * Finds the columns of a statement. Amounts: the last column of mostly amounts that is not a balance, or two adjacent
 * ones of which each row fills one (money out, money in). Text: the column with the most distinct text.
 */
export function findColumns(records: CsvRecord[]): Table {
  const width = Math.min(MAX_COLUMNS, Math.max(0, ...records.map(({ cells }) => cells.length)));
  const allCells = Array.from({ length: width }, (_, index) =>
    records.map(({ cells }) => cells[index] ?? ""),
  );
  const hasHeader = allCells.some(startsWithHeader);
  const columns = allCells.map((cells, index) =>
    hasHeader ? { index, header: cells[0] ?? "", cells: cells.slice(1) } : { index, header: "", cells },
  );

  const numeric = columns.filter(({ header, cells }) => isAmounts(cells) && !BALANCE.test(header));
  const pair = findPair(numeric);
  // Reference numbers parse as amounts too, but have no decimals.
  const withDecimals = numeric.filter(({ cells }) => cells.some(hasDecimals));
  const amounts = withDecimals.length > 0 ? withDecimals : numeric;
  const amount = amounts.at(-1);
  const textColumn = findTextColumn(columns.filter(({ cells }) => !isAmounts(cells)));

  return {
    rows: hasHeader ? records.slice(1) : records,
    textOf: ({ cells }) => (textColumn && cells[textColumn.index]) ?? "",
    amountOf({ cells }) {
      const read = (column: Column) => readAmount(cells[column.index] ?? "");
      if (!pair) return amount ? read(amount) : null;
      const [out, into] = [read(pair.out), read(pair.into)];
      if (out) return -Math.abs(out);
      return into === null ? out : Math.abs(into);
    },
    amountsFrom: pair
      ? `${describeColumn(pair.out)} (money out) and ${describeColumn(pair.into)} (money in)`
      : amount && amounts.length > 1
        ? describeColumn(amount)
        : null,
  };
}

/** Whether a column's first cell is a header: not an amount, above cells that mostly are. */
function startsWithHeader([first, ...others]: string[]): boolean {
  return Boolean(first) && readAmount(first ?? "") === null && isAmounts(others);
}

function isAmounts(cells: string[]): boolean {
  const filled = cells.filter((cell) => cell !== "");
  return filled.filter((cell) => readAmount(cell) !== null).length > filled.length / 2;
}

function hasDecimals(cell: string): boolean {
  return /[.,]\d{1,2}\D*$/.test(cell);
}

/** The last two columns of amounts, if they are adjacent and no row fills both. */
function findPair(amounts: Column[]): { out: Column; into: Column } | null {
  const [one, other] = amounts.slice(-2);
  if (!one || !other || one.index + 1 !== other.index) return null;
  if (one.cells.some((cell, row) => readAmount(cell) && readAmount(other.cells[row] ?? ""))) return null;
  return MONEY_IN.test(one.header) ? { out: other, into: one } : { out: one, into: other };
}

/** The column with the most text, counting each distinct cell with more letters than digits once. */
function findTextColumn(columns: Column[]): Column | undefined {
  const lengths = columns.map(({ cells }) =>
    [...new Set(cells)]
      .filter((cell) => count(cell, /\p{L}/gu) > count(cell, /\p{N}/gu))
      .reduce((sum, cell) => sum + cell.length, 0),
  );
  const most = Math.max(0, ...lengths);
  return most === 0 ? undefined : columns[lengths.indexOf(most)];
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function describeColumn({ index, header }: Column): string {
  return header ? `the column “${header}”` : `column ${index + 1}`;
}
