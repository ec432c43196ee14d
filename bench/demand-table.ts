import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { amountOf } from "./figures.ts";
import { numberIn } from "./points.ts";
import { formatTable, readCells, replaceBetween, textBetween } from "./table.ts";

/** What one operation takes of everything it passes. */
export interface Demand {
  /** Milliseconds of the thread that runs JavaScript. */
  main: number;
  /** Milliseconds of the process's other threads. */
  others: number;
  /** Milliseconds of all processes of PostgreSQL. */
  postgres: number;
  /** Bytes of the write-ahead log. */
  wal: number;
  /** Transactions that write, each of which waits for the log to be flushed. */
  transactions: number;
  /** Bytes of the answer, headers included. */
  bytes: number;
}

const COLUMNS: Record<keyof Demand, string> = {
  main: "main thread, ms",
  others: "other threads, ms",
  postgres: "PostgreSQL, ms",
  wal: "log, bytes",
  transactions: "transactions that write",
  bytes: "answer, bytes",
};
const PARTS = Object.keys(COLUMNS) as (keyof Demand)[];

const FILE = join(import.meta.dirname, "../docs/measurements.md");
const PLACE = "demands";

/** Writes what was measured into docs/measurements.md. */
export function keepDemands(demands: ReadonlyMap<string, Demand>): void {
  writeFileSync(FILE, replaceBetween(readFileSync(FILE, "utf8"), PLACE, formatDemands(demands)));
}

/** What was last written there. */
export const readKeptDemands = () => readDemands(textBetween(readFileSync(FILE, "utf8"), PLACE));

export function formatDemands(demands: ReadonlyMap<string, Demand>): string {
  const rows = [...demands].map(([operation, demand]) => [
    operation,
    ...PARTS.map((part) => amountOf({ name: part, value: round(demand[part]), unit: "" })),
  ]);
  return formatTable(["operation", ...Object.values(COLUMNS)], rows, new Set(Object.values(COLUMNS)));
}

function readDemands(markdown: string): Map<string, Demand> {
  const [, , ...rows] = readCells(markdown);
  return new Map(
    rows.map(([operation = "", ...cells]) => {
      const [main, others, postgres, wal, transactions, bytes] = cells.map(numberIn);
      return [operation, { main, others, postgres, wal, transactions, bytes } as Demand];
    }),
  );
}

/** What is next to nothing is the machine's own doing. */
const round = (value: number) => (value < 0.005 ? 0 : value);
