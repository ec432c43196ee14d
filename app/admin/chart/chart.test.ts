import { expect, test } from "vitest";
import { besideBefore, describeChange, frameOf, periodQuery, readPeriod } from "./points.ts";

test("a period is read from the URL it is written into, and what is not understood is the usual one", () => {
  const read = (query: string) => readPeriod(new URLSearchParams(query));
  expect(read("")).toEqual({ weeks: 12, isCompared: true });
  expect(read("weeks=5000&compare=maybe")).toEqual({ weeks: 12, isCompared: true });
  for (const period of [{ weeks: 52, isCompared: false } as const, { weeks: 4, isCompared: true } as const])
    expect(read(periodQuery(period))).toEqual(period);
});

test("each figure is beside the one at its place in the period before", () => {
  const figures = ["a", "b", "c", "d"].map((label, value) => ({ label, value }));
  expect(besideBefore(figures)).toEqual([
    { label: "c", value: 2, before: { label: "a", value: 0 } },
    { label: "d", value: 3, before: { label: "b", value: 1 } },
  ]);
  expect(besideBefore([])).toEqual([]);
});

test("a change has its sign and its share, where there was something to have a share of", () => {
  const change = (value: number, before: number) => describeChange(value, before, String);
  expect(change(42, 38)).toBe("+4 (+11%)");
  expect(change(3, 6)).toBe("−3 (−50%)");
  expect(change(5, 0)).toBe("+5");
  expect(change(0, 3)).toBe("−3 (−100%)");
  expect(change(1, 2_000)).toBe("−1999 (−99.9%)");
  expect(change(1, 200)).toBe("−199 (−99.5%)");
  expect(change(7, 7)).toBe("no change");
});

test("the lines of a chart are whole figures that hold every bar and what it is compared with", () => {
  const frame = (...values: number[]) =>
    frameOf(
      values.map((value, index) => ({ label: `${index}`, value, before: { label: "", value: 0 } })),
      String,
    );
  expect(frame().ticks).toEqual([0, 1]);
  expect(frame(0, 0).ticks).toEqual([0, 1]);
  expect(frame(3).ticks).toEqual([0, 1, 2, 3]);
  expect(frame(9).ticks).toEqual([0, 5, 10]);
  expect(frame(389_440).ticks).toEqual([0, 100_000, 200_000, 300_000, 400_000]);
  const compared = [{ label: "", value: 1, before: { label: "", value: 70 } }];
  expect(frameOf(compared, String).ticks.at(-1)).toBe(80);
  expect(frame(...Array(52).fill(1)).labeled).toEqual([12, 25, 38, 51]);
  expect(frame(1, 2, 3, 4).labeled).toEqual([0, 1, 2, 3]);
});
