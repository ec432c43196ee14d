import { expect, test } from "vitest";
import { describeChange, periodQuery, readPeriod, ticksOf } from "./points.ts";

test("a period is read from the URL it is written into, and what is not understood is the usual one", () => {
  const read = (query: string) => readPeriod(new URLSearchParams(query));
  expect(read("")).toEqual({ weeks: 12, isCompared: true });
  expect(read("weeks=5000&compare=maybe")).toEqual({ weeks: 12, isCompared: true });
  for (const period of [{ weeks: 52, isCompared: false } as const, { weeks: 4, isCompared: true } as const])
    expect(read(periodQuery(period))).toEqual(period);
});

test("a change has its sign and its share, where there was something to have a share of", () => {
  const change = (value: number, before: number) => describeChange(value, before, String);
  expect(change(42, 38)).toBe("+4 (+11%)");
  expect(change(3, 6)).toBe("−3 (−50%)");
  expect(change(5, 0)).toBe("+5");
  expect(change(7, 7)).toBe("no change");
});

test("the lines of a chart are whole figures that hold every bar and what it is compared with", () => {
  const ticks = (...values: number[]) =>
    ticksOf(values.map((value) => ({ label: "", value, before: { label: "", value: 0 } })));
  expect(ticks()).toEqual([0, 1]);
  expect(ticks(0, 0)).toEqual([0, 1]);
  expect(ticks(3)).toEqual([0, 1, 2, 3]);
  expect(ticks(9)).toEqual([0, 5, 10]);
  expect(ticks(389_440)).toEqual([0, 100_000, 200_000, 300_000, 400_000]);
  expect(ticksOf([{ label: "", value: 1, before: { label: "", value: 70 } }]).at(-1)).toBe(80);
});
