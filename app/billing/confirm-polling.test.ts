import { expect, test } from "vitest";
import { secondsToNextPoll } from "./confirm-polling.ts";

test("the page looks often at first, then less and less, and stops after ten minutes", () => {
  const pauses: number[] = [];
  for (let waited = 0, next = secondsToNextPoll(0); next !== null; next = secondsToNextPoll(waited)) {
    pauses.push(next);
    waited += next;
  }
  expect(pauses.slice(0, 3)).toEqual([2, 2, 2]);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  expect(pauses.at(-1)).toBe(30);
  expect(pauses.length).toBeLessThan(40);
  expect(pauses.reduce((sum, pause) => sum + pause)).toBeLessThan(11 * 60);
});
