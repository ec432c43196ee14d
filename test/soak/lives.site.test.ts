import { expect, test } from "vitest";
import { lifecycle } from "./lifecycle.ts";
import { outage } from "./outage.ts";

// At a small size; `npm run soak` has the full one. Both start servers of their own, by openSite(), and mostly wait.
const seed = Date.now() % 1_000_000;

test.concurrent.each([
  ["lives in any order of their events", () => lifecycle(5, seed, { processes: 2, deliveriesEach: 3 })],
  ["a day without webhooks", () => outage(4, seed, true)],
])("%s: everything ends as Stripe has it", async (_, run) => {
  expect(await run(), `seed ${seed}`).toEqual([]);
});
