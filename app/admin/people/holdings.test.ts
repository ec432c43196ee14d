import { expect, test } from "vitest";
import { describeHoldings, type Holding } from "./read-person.server.ts";

const NOW = new Date("2027-03-01T12:00:00Z");
const day = (days: number) => new Date(NOW.getTime() + days * 24 * 60 * 60 * 1000);

function holding(id: string, changes: Partial<Holding>): Holding {
  return {
    id,
    source: "admin",
    tier: "basic",
    from: day(-10),
    until: day(10),
    renews: false,
    why: null,
    revokedAt: null,
    ...changes,
  };
}

const statesOf = (holdings: Holding[]) =>
  Object.fromEntries(describeHoldings(holdings, NOW).map(({ id, state }) => [id, state]));

// That a lower one waits or adds nothing is tested with the page (person.site.test.ts).
test("what renews has no end, what is revoked or over has no say", () => {
  const held = [
    holding("paid", { source: "paid", renews: true, until: day(3) }),
    holding("gift", { until: day(400) }),
    holding("revoked", { tier: "premium", revokedAt: day(-1) }),
    holding("over", { tier: "premium", until: day(0) }),
  ];
  expect(statesOf(held)).toEqual({
    gift: "in_force",
    paid: "waits",
    revoked: "revoked",
    over: "ended",
  });
});

test("what matters most is first", () => {
  const held = [
    holding("over", { until: day(-1) }),
    holding("second", {}),
    holding("first", { until: day(11) }),
  ];
  expect(describeHoldings(held, NOW).map(({ id }) => id)).toEqual(["first", "second", "over"]);
});
