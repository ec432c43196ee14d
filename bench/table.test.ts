import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { amountOf, type Figure, isWithin } from "./figures.ts";
import { readKept } from "./keep.ts";
import { formatPoints, numberIn } from "./points.ts";
import { formatRows, mergeRows, readRows, replaceBetween, rowsOf, textBetween } from "./table.ts";

const NEAR: Figure = { name: "`/` beside a | bare server", value: 0.931, unit: "×", limit: { least: 0.9 } };
const FAR: Figure = { name: "bytes", value: 13_314, unit: "bytes", limit: { most: 14_000 } };
const TOLD: Figure = { name: "processor time", value: 0.0123, unit: "ms" };
const BROKEN: Figure = { name: "never came", value: Number.NaN, unit: "ms", limit: { most: 5 } };
const MEASURED = "2026-11-22, abc1234, 3% busy";

test("a table is read as it was written, units, bars and all", () => {
  const rows = rowsOf({ benchmark: "pages", figures: [NEAR, FAR, TOLD, BROKEN], measured: MEASURED });
  expect(readRows(formatRows(rows))).toEqual(rows);
  expect(rows.map(({ value, state }) => [value, state])).toEqual([
    ["0.931×", "reached"],
    ["13,314 bytes", "reached"],
    ["0.0123 ms", "measured"],
    ["–", "not measured"],
  ]);
  expect(rows.map(({ value }) => numberIn(value))).toEqual([0.931, 13_314, 0.0123, Number.NaN]);
});

test("what was not measured keeps to no limit, and says why", () => {
  expect(isWithin(BROKEN)).toBe(false);
  expect(amountOf(BROKEN)).toBe("–");
  const [row] = rowsOf({
    benchmark: "pages",
    figures: [],
    failure: "wrk is not installed",
    measured: MEASURED,
  });
  expect(row?.state).toBe("not measured: wrk is not installed");
});

test("a run replaces its own rows, keeps those of others, and shows what never ran", () => {
  const before = [
    ...rowsOf({ benchmark: "pages", figures: [NEAR, FAR], measured: "earlier" }),
    ...rowsOf({ benchmark: "gone", figures: [FAR], measured: "earlier" }),
    ...rowsOf({ benchmark: "cost", figures: [FAR], measured: "earlier" }),
  ];
  const after = [
    { benchmark: "pages", figures: [FAR], measured: MEASURED },
    {
      benchmark: "cost",
      figures: [],
      failure: "wrk is not installed",
      cannotRunHere: true,
      measured: MEASURED,
    },
  ];
  expect(
    mergeRows(before, after, ["pages", "cost", "new"]).map(({ benchmark, figure, state, measured }) => [
      ...[benchmark, figure, state, measured],
    ]),
  ).toEqual([
    ["pages", "bytes", "reached", MEASURED],
    ["cost", "bytes", "reached", "earlier"],
    ["new", "all of it", "not measured: never", ""],
  ]);
});

test("README shows the worst figure that misses its limit, or else the foremost that is nearest to it", () => {
  const pages = (...figures: Figure[]) => rowsOf({ benchmark: "pages", figures, measured: MEASURED });
  const line = (rows: ReturnType<typeof pages>) =>
    formatPoints(rows)
      .split("\n")
      .find((each) => each.includes("-- pages`"))
      ?.split(" | ")
      .map((cell) => cell.trim());
  const nearer: Figure = { ...FAR, value: 13_999 };
  expect(line(pages(FAR, nearer, NEAR, TOLD))?.slice(1, 5)).toEqual([
    NEAR.name.replace("|", "\\|"),
    "0.931×",
    "at least 0.9",
    "3 of 3",
  ]);
  expect(line(pages(NEAR, { ...FAR, value: 15_000 }))?.slice(1, 3)).toEqual(["bytes", "15,000 bytes"]);
  expect(line(pages(NEAR, BROKEN))?.slice(1, 5)).toEqual(["never came", "–", "at most 5", "1 of 2"]);
});

test("a text without the place is not taken for one", () => {
  expect(() => replaceBetween("<!-- other -->\n<!-- -->", "figures", "x")).toThrow();
  expect(textBetween(replaceBetween("a\n<!-- figures -->\n<!-- -->\nb", "figures", "x"), "figures")).toBe(
    "x",
  );
});

test("README.md and docs/measurements.md say the same", () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  expect(textBetween(readme, "figures")).toBe(formatPoints(readKept()));
});
