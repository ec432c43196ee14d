import { expect, test } from "vitest";
import { faults } from "./faults.ts";
import { kills } from "./kills.ts";
import { lifecycle } from "./lifecycle.ts";
import { outage } from "./outage.ts";

// The long runs at a small size; `npm run soak` has them at their full one. They start servers of their own: openSite().
const MINUTES = 60_000;
const seed = Date.now() % 1_000_000;

test.each([
  ["lives in any order of their events", lifecycle, 5],
  ["a day without webhooks", outage, 4],
  ["a failing Stripe", faults, 4],
  ["a process killed at any moment", kills, 4],
])(
  "%s end as Stripe has them",
  async (_, run, size) => {
    expect(await run(size, seed, true), `seed ${seed}`).toEqual([]);
  },
  5 * MINUTES,
);
