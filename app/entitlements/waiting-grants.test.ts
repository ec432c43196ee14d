import { describe, expect, test } from "vitest";
import type { Tier } from "./tiers.ts";
import { type Entitlement, waitingGrants } from "./waiting-grants.ts";

const DAY = 24 * 60 * 60 * 1000;
const at = (days: number) => new Date(Date.UTC(2027, 0, 1) + days * DAY);
const code = (tier: Tier, days: number, promoCode = "CODE"): Entitlement => ({
  tier,
  source: "promo",
  promoCode,
  expiresAt: at(days),
  renews: false,
});
const paid = (tier: Tier, days: number, renews: boolean): Entitlement => ({
  tier,
  source: "paid",
  promoCode: null,
  expiresAt: at(days),
  renews,
});
/** What is said of each: which code, behind what, and from which day on. */
const said = (...entitlements: Entitlement[]) =>
  waitingGrants(entitlements).map(({ promoCode, behind, from }) => ({
    promoCode,
    behind: behind.tier,
    from: from && (from.getTime() - at(0).getTime()) / DAY,
  }));

describe("of the plans that are not in force it says from when they count", () => {
  test("one alone is in force", () => {
    expect(said()).toEqual([]);
    expect(said(code("basic", 10))).toEqual([]);
    expect(said(paid("premium", 10, true))).toEqual([]);
  });

  test("the lower one follows the higher one when it lasts longer", () => {
    const waits = [{ promoCode: "LOW", behind: "premium", from: 10 }];
    expect(said(code("basic", 30, "LOW"), code("premium", 10))).toEqual(waits);
    expect(said(code("premium", 10), code("basic", 30, "LOW"))).toEqual(waits);
  });

  test("one that ends first never counts", () => {
    expect(said(code("basic", 10, "LOW"), code("premium", 30))).toMatchObject([{ from: null }]);
    expect(said(code("basic", 10, "SHORT"), code("basic", 30, "LONG"))).toEqual([
      { promoCode: "SHORT", behind: "basic", from: null },
    ]);
  });

  test("of twins one is in force", () => {
    expect(said(code("basic", 10, "A"), code("basic", 10, "B"))).toEqual([
      { promoCode: "B", behind: "basic", from: null },
    ]);
  });

  test("behind a payment that renews it has no day; once that is canceled it has", () => {
    expect(said(code("basic", 30, "LOW"), paid("premium", 10, true))).toEqual([
      { promoCode: "LOW", behind: "premium", from: null },
    ]);
    expect(said(code("basic", 30, "LOW"), paid("premium", 10, false))).toMatchObject([{ from: 10 }]);
  });

  test("a payment is not among them: it has a line of its own", () => {
    expect(said(code("premium", 30), paid("basic", 10, true))).toEqual([]);
  });

  test("behind several it waits for the last", () => {
    expect(
      said(
        code("basic", 50, "LOW"),
        code("premium", 10, "A"),
        code("premium", 20, "B"),
        paid("basic", 30, false),
      ),
    ).toEqual([
      { promoCode: "A", behind: "premium", from: null },
      { promoCode: "LOW", behind: "premium", from: 20 },
    ]);
  });
});
