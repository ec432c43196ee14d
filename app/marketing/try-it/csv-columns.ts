import type { CsvRecord } from "./csv-records.ts";
import { readAmount } from "./read-amount.ts";

/** More than any bank exports. */
const MAX_COLUMNS = 40;
const BALANCE = /balance|saldo|solde/i;
const MONEY_IN = /credit|\bin\b|deposit|haben/i;

interface Column {
  index: number;
  header: string;
  cells: string[];
}

/** Amounts: the last column that is not a balance, or two adjacent ones (money out, money in). Text: the most distinct one. */
export function findColumns(records: CsvRecord[]) {
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
    textOf: ({ cells }: CsvRecord): string => (textColumn && cells[textColumn.index]) ?? "",
    /** In minor units, spending negative. */
    amountOf({ cells }: CsvRecord): number | null {
      const read = (column: Column) => readAmount(cells[column.index] ?? "");
      if (!pair) return amount ? read(amount) : null;
      const [out, into] = [read(pair.out), read(pair.into)];
      if (out) return -Math.abs(out);
      return into === null ? out : Math.abs(into);
    },
    /** Set when there was more than one candidate. */
    amountsFrom: pair
      ? `${describeColumn(pair.out)} (money out) and ${describeColumn(pair.into)} (money in)`
      : amount && amounts.length > 1
        ? describeColumn(amount)
        : null,
  };
}

/** Not an amount, above cells that mostly are. */
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

/** The last two, if they are adjacent and no row fills both. */
function findPair(amounts: Column[]): { out: Column; into: Column } | null {
  const [one, other] = amounts.slice(-2);
  if (!one || !other || one.index + 1 !== other.index) return null;
  if (one.cells.some((cell, row) => readAmount(cell) && readAmount(other.cells[row] ?? ""))) return null;
  return MONEY_IN.test(one.header) ? { out: other, into: one } : { out: one, into: other };
}

/** Counts each distinct cell with more letters than digits once. */
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
