import { expect, test } from "vitest";
import { histories } from "../soak/histories.ts";
import { redeem } from "../soak/redeem.ts";

// At a small size; `npm run soak -- redeem` and `-- histories` have the full one.
const seed = Date.now() % 1_000_000;

test("by two processes, by openSite(): exactly as many grants as uses, and none after the end", async () => {
  expect(await redeem(110, seed, 2), `seed ${seed}`).toEqual([]);
});

test("random histories: each user has the plan that a count of all they hold gives them", async () => {
  expect(await histories(2_000, seed), `seed ${seed}`).toEqual([]);
});
