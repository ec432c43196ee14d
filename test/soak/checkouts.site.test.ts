import { expect, test } from "vitest";
import { faults } from "./faults.ts";
import { kills } from "./kills.ts";

// At a small size; `npm run soak` has the full one. Both start a server of their own, by openSite(), and mostly wait.
const seed = Date.now() % 1_000_000;

test.concurrent.each([
  // How long a page takes depends on what else the machine does.
  ["a failing Stripe", () => faults(4, seed, Number.POSITIVE_INFINITY)],
  ["a process killed at any moment", () => kills(4, seed, { isClusterOurs: false, atOnce: 4, people: 300 })],
])("%s: nobody pays twice, and nothing is lost", async (_, run) => {
  expect(await run(), `seed ${seed}`).toEqual([]);
});
