import { expect, test } from "vitest";
import { pool, quantile, ratioOfMedians, ratioOfTails } from "./samples.ts";

const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

test("a quantile is one of the values", () => {
  expect(quantile(hundred, 0.5)).toBe(50);
  expect(quantile(hundred, 0.99)).toBe(99);
  expect(quantile([], 0.5)).toBeNaN();
});

test("one slow round does not move the medians' ratio, and one slow sample not the tails'", () => {
  const calm = [hundred, hundred, hundred];
  const slow = [hundred, hundred, hundred.map((each) => each * 10)];
  expect(ratioOfMedians([calm, calm, slow])).toBe(1);
  expect(ratioOfMedians([calm, slow, slow])).toBe(10);
  const held = [hundred, hundred, [...hundred.slice(0, 99), 10_000]];
  expect(ratioOfTails([calm, calm, calm, calm, held])).toBe(1);
  expect(ratioOfTails([slow, slow, slow, slow, slow])).toBe(10);
  expect(pool([calm, held]).map(({ length }) => length)).toEqual([200, 200, 200]);
});
