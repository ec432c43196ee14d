import { expect, test } from "vitest";
import { createPace } from "./pace.ts";
import { createPlaces } from "./places.ts";

test("told that it is too much there are half as many places, once for all that were under way, and slowly more again", () => {
  const places = createPlaces(16);
  const startedAt = performance.now();
  places.shrink(startedAt);
  for (let time = 0; time < 5; time++) places.shrink(startedAt);
  expect(places.count()).toBe(8);
  places.shrink(performance.now());
  expect(places.count()).toBe(4);
  for (let job = 0; job < 5; job++) places.grow();
  expect(places.count()).toBe(5);
  for (let job = 0; job < 1_000; job++) places.grow();
  expect(places.count()).toBe(16);
});

test("there is always a place, and of many always some that are not for what failed before", () => {
  const places = createPlaces(16);
  expect([places.count(), places.retries()]).toEqual([16, 12]);
  places.shrink(performance.now());
  places.shrink(performance.now());
  places.shrink(performance.now());
  expect([places.count(), places.retries()]).toEqual([2, 2]);
  for (let time = 0; time < 5; time++) places.shrink(performance.now());
  expect([places.count(), places.retries()]).toEqual([1, 1]);
});

test("no more than a second’s worth begins at once, and the rest evenly after it", () => {
  let now = 0;
  const pace = createPace(4, () => now);
  expect(pace.allowed()).toBe(4);
  pace.began(4);
  expect([pace.allowed(), pace.nextIn()]).toEqual([0, 250]);
  now = 250;
  expect([pace.allowed(), pace.nextIn()]).toEqual([1, 0]);
  now = 60_000;
  expect(pace.allowed()).toBe(4);
  expect(createPace(Number.POSITIVE_INFINITY).allowed()).toBe(Number.POSITIVE_INFINITY);
});
