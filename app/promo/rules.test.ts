import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { promoForm } from "./promo-form-schema.ts";
import {
  isRedeemable,
  normalisePromoCode,
  PROMO_MESSAGES,
  type PromoCode,
  tierOfRedemption,
} from "./rules.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const PROMO: PromoCode = {
  code: "A",
  tier: null,
  expiresAt: null,
  maxUses: null,
  usedCount: 0,
  active: true,
};

describe("normalisePromoCode", () => {
  test.each([
    ["  premium3\n", "PREMIUM3"],
    ["ｐｒｅｍｉｕｍ３", "PREMIUM3"],
    ["straße", "STRASSE"],
    ["\u00a0", ""],
    ["\u0390", "\u03aa\u0301"],
    ["", ""],
  ])("%j is %j", (input, code) => expect(normalisePromoCode(input)).toBe(code));

  test("what is too long to be a code is not put in order, which can take seconds", () => {
    const marks = "a\u0315\u0300".repeat(400_000);
    expect(normalisePromoCode(marks)).toBe(marks.slice(0, 257));
    expect(promoForm.safeParse({ code: marks }).error?.issues[0]?.message).toBe(PROMO_MESSAGES.invalid);
  });

  test("normalising again changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (input) => {
        const once = normalisePromoCode(input);
        expect(normalisePromoCode(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("isRedeemable", () => {
  test.each([
    ["without limits", {}, true],
    ["switched off", { active: false }, false],
    ["ending this instant", { expiresAt: NOW }, false],
    ["ending in a millisecond", { expiresAt: new Date(NOW.getTime() + 1) }, true],
    ["with a use left", { maxUses: 2, usedCount: 1 }, true],
    ["used up", { maxUses: 2, usedCount: 2 }, false],
    ["never usable", { maxUses: 0 }, false],
  ])("a code %s: %o → %s", (_what, change, expected) => {
    expect(isRedeemable({ ...PROMO, ...change }, NOW)).toBe(expected);
  });
});

describe("tierOfRedemption", () => {
  test.each([
    ["premium", "basic", "premium"],
    ["basic", "premium", "basic"],
    [null, "premium", "premium"],
    [null, undefined, "basic"],
    [null, "admin", "basic"],
  ] as const)("a promo for %s, chosen %s, gives %s", (tier, chosen, expected) => {
    expect(tierOfRedemption({ tier }, chosen)).toBe(expected);
  });
});
