import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REDEMPTION } from "../operations.ts";
import { formatTable, replaceBetween } from "../table.ts";
import {
  type Calibration,
  costOfMillion,
  DEPLOYMENTS,
  type Limit,
  limitsOf,
  type Mix,
  mixOf,
} from "./model.ts";
import { ASSUMED, PARAMETERS, type Parameters } from "./parameters.ts";

const FILE = join(import.meta.dirname, "../../docs/scale.md");
/** The first deployments, and the first things that break. */
const SHOWN = 3;

/** The tables of docs/scale.md, by the place where they stand. */
export function tablesOf(calibration: Calibration, given: Parameters): Map<string, string> {
  return new Map([
    ["each alone", eachAlone(calibration, given)],
    ["all together", allTogether(calibration, given)],
    ["costs", costs(calibration, given)],
    ["assumptions", assumptions(given)],
  ]);
}

export function writeDocument(tables: ReadonlyMap<string, string>): void {
  let text = readFileSync(FILE, "utf8");
  for (const [place, table] of tables) text = replaceBetween(text, place, table);
  writeFileSync(FILE, text);
}

/** How often a second each operation is possible if nothing else is asked for, and what breaks then. */
function eachAlone(calibration: Calibration, given: Parameters): string {
  const deployments = DEPLOYMENTS.slice(0, SHOWN);
  const rows = [...calibration.demands.keys()].map((operation) => {
    const found = deployments.map((deployment) =>
      limitsOf(only(operation), deployment, calibration, given).find(({ isLater }) => !isLater),
    );
    return [
      operation,
      ...found.flatMap((limit) => [inShort(limit?.perSecond ?? Number.NaN), limit?.resource ?? ""]),
    ];
  });
  // Told in full by the next table, which has them in the same order.
  const columns = deployments.flatMap(({ processes }) => [
    processes === 1 ? "1 process" : `${processes} processes`,
    "what breaks",
  ]);
  return formatTable(["operation", ...columns], rows, new Set(columns.filter((_, at) => at % 2 === 0)));
}

/** How many visits a second each deployment takes, and what breaks first, second and third. */
function allTogether(calibration: Calibration, given: Parameters): string {
  const mix = mixOf(given);
  const rows = DEPLOYMENTS.map((deployment) => {
    const all = limitsOf(mix, deployment, calibration, given);
    const limits = all.filter(({ isLater }) => !isLater);
    const most = limits[0]?.perSecond ?? Number.NaN;
    return [
      deployment.name,
      inShort(most),
      inShort(most * given.signIns),
      inShort(most * given.redemptions),
      inShort(most * given.webhooks),
      inWords(limits.slice(0, SHOWN)),
      inWords(all.filter(({ isLater }) => isLater)),
    ];
  });
  const numbers = ["visits a second", "sign-ins", "redemptions", "webhooks"];
  const columns = ["deployment", ...numbers, "what breaks first, and next", "from when jobs wait"];
  return formatTable(columns, rows, new Set(numbers));
}

const inWords = (limits: readonly Limit[]) =>
  limits.map(({ resource, perSecond }) => `${resource} (${inShort(perSecond)})`).join("; ");

/** What a million visits cost, and a million redemptions. */
function costs(calibration: Calibration, given: Parameters): string {
  const visits = costOfMillion(mixOf(given), calibration, given);
  const redemptions = costOfMillion(only(REDEMPTION), calibration, given);
  const rows = [...visits].map(([what, value]) => [
    what,
    inShort(value),
    inShort(redemptions.get(what) ?? 0),
  ]);
  const total = (of: ReadonlyMap<string, number>) =>
    [...of].filter(([what]) => what.startsWith("price")).reduce((sum, [, price]) => sum + price, 0);
  const columns = ["a million visits", "a million redemptions"];
  return formatTable(
    ["", ...columns],
    [...rows, ["price of all", inShort(total(visits)), inShort(total(redemptions))]],
    new Set(columns),
  );
}

function assumptions(given: Parameters): string {
  const rows = Object.entries(PARAMETERS).map(([name, [, meaning]]) => [
    `\`--${name}\``,
    String(given[name as keyof Parameters]),
    meaning,
  ]);
  return formatTable(["flag", ASSUMED, "meaning"], rows, new Set([ASSUMED]));
}

const only = (operation: string): Mix => new Map([[operation, 1]]);

/** Two digits: more is not known. */
function inShort(value: number): string {
  if (value === 0) return "0";
  const places = Math.max(0, 1 - Math.floor(Math.log10(Math.abs(value))));
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(Math.abs(value))) - 1);
  return (Math.round(value / digits) * digits || value).toLocaleString("en-US", {
    maximumFractionDigits: Math.min(places, 4),
  });
}
