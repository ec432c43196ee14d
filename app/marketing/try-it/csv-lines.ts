import type { BankLine } from "../../ui/bank-line.ts";
import { findColumns } from "./csv-columns.ts";
import { readRecords } from "./csv-records.ts";

const LINE_LIMIT = 200;
/** In characters; of a file, in bytes. */
export const TEXT_LIMIT = 100_000;
const LISTED_LINES = 5;
const NOTHING_FOUND = "No bank lines were found. One looks like this: 2026-01-31, KROGER #4412, -23.80";

/** Separated by commas, semicolons or tabs, with or without a header. Never throws, and reads at most 200 lines. */
export function readPastedLines(text: string) {
  const start = text.slice(0, TEXT_LIMIT).replace(/^\ufeff/, "");
  // One more for a header, and one more to detect that the limit is exceeded.
  const { records, unclosedQuoteLine } = readRecords(start, LINE_LIMIT + 2);
  const { rows, textOf, amountOf, amountsFrom } = findColumns(records);
  const lines: BankLine[] = [];
  const withoutText: number[] = [];
  const withoutAmount: number[] = [];
  for (const row of rows.slice(0, LINE_LIMIT)) {
    const line = { text: textOf(row).replace(/\s+/g, " "), minorUnits: amountOf(row) };
    if (line.text === "") withoutText.push(row.line);
    else lines.push(line);
    if (line.text !== "" && line.minorUnits === null) withoutAmount.push(row.line);
  }

  const remarks: string[] = [];
  if (lines.length === 0) remarks.push(NOTHING_FOUND);
  else if (withoutAmount.length === lines.length) remarks.push("No amounts were found.");
  else if (withoutAmount.length > 0) remarks.push(`${linesHave(withoutAmount)} no amount.`);
  if (lines.length > 0 && withoutText.length > 0)
    remarks.push(`${linesHave(withoutText)} no words to match.`);
  if (lines.length > 0 && amountsFrom) remarks.push(`The amounts are from ${amountsFrom}.`);
  if (unclosedQuoteLine) remarks.push(`A quotation mark on line ${unclosedQuoteLine} is never closed.`);
  if (rows.length > LINE_LIMIT || text.length > TEXT_LIMIT)
    remarks.push(`Only the first ${Math.min(rows.length, LINE_LIMIT)} lines are shown.`);
  return { lines, remarks };
}

function linesHave(numbers: number[]): string {
  if (numbers.length === 1) return `Line ${numbers[0]} has`;
  const isLong = numbers.length > LISTED_LINES + 1;
  const named = isLong ? numbers.slice(0, LISTED_LINES) : numbers.slice(0, -1);
  return `Lines ${named.join(", ")} and ${isLong ? `${numbers.length - LISTED_LINES} more` : numbers.at(-1)} have`;
}
