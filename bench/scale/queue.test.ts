import { expect, test } from "vitest";
import {
  allEqual,
  byChance,
  meanOf,
  meanWait,
  meanWaitOfEqual,
  probabilityOfWaiting,
  shareOf,
  simulateWaits,
  waitOfShare,
} from "./queue.ts";

const COUNT = 300_000;
const SEED = 15;
/** Neighbours wait alike, so that so many say no more than a few thousand who do not. */
const MOST_OFF = 0.1;

test.each([
  [1, 0.5],
  [2, 0.8],
  [8, 0.7],
])("the simulation of %i servers at %f of their load is what Erlang's formula says", (servers, load) => {
  const queue = { servers, arrivals: servers * load, service: 1 };
  const waits = simulateWaits(queue, byChance, COUNT, SEED);
  const expectClose = (found: number, value: number) => {
    expect(found / value).toBeGreaterThan(1 - MOST_OFF);
    expect(found / value).toBeLessThan(1 + MOST_OFF);
  };
  expectClose(meanOf(waits), meanWait(queue));
  expectClose(shareOf(waits, 0.99), waitOfShare(queue, 0.99));
  expectClose(waits.filter((wait) => wait > 0).length / waits.length, probabilityOfWaiting(queue));
});

test("with equal services it is what Pollaczek and Khinchine say, half of what chance would make of it", () => {
  const queue = { servers: 1, arrivals: 0.8, service: 1 };
  const found = meanOf(simulateWaits(queue, allEqual, COUNT, SEED));
  expect(found / meanWaitOfEqual(queue)).toBeCloseTo(1, 1);
  expect(meanWaitOfEqual(queue)).toBeCloseTo(meanWait(queue) / 2, 10);
});

test("known values: one server at half its load, and Erlang's own table", () => {
  expect(meanWait({ servers: 1, arrivals: 0.5, service: 1 })).toBeCloseTo(1, 10);
  expect(probabilityOfWaiting({ servers: 2, arrivals: 1, service: 1 })).toBeCloseTo(1 / 3, 10);
  expect(waitOfShare({ servers: 1, arrivals: 0.5, service: 1 }, 0.99)).toBeCloseTo(2 * Math.log(50), 10);
});
