import { expect, test } from "vitest";
import { type HotCode, mostOfHotCode, simulateHotCode } from "./hot-code.ts";

const COUNT = 5_000;
const CODE: HotCode = { callers: 64, processes: 1, shards: 1, most: 1, fixed: 2, each: 0.1, main: 0 };

test.each([
  ["one after the other", CODE],
  ["together", { ...CODE, most: 64 }],
  ["together, in four processes", { ...CODE, most: 64, processes: 4 }],
  ["together, in four processes with a row each", { ...CODE, most: 64, processes: 4, shards: 4 }],
] as const)("%s: what is simulated is what a round of all takes", (_, code) => {
  expect(simulateHotCode(code, COUNT).perSecond / mostOfHotCode(code)).toBeCloseTo(1, 1);
});

test("group commit helps, more processes make its groups smaller, and a busy main thread bounds it", () => {
  const perSecond = (code: Partial<HotCode>) => simulateHotCode({ ...CODE, ...code }, COUNT).perSecond;
  expect(perSecond({ most: 64 })).toBeGreaterThan(10 * perSecond({}));
  expect(perSecond({ most: 64, processes: 4 })).toBeLessThan(perSecond({ most: 64 }));
  expect(perSecond({ most: 64, main: 1 })).toBeLessThanOrEqual(1001);
});
