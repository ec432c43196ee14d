import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { includesTier, TIERS, type Tier } from "../entitlements/tiers.ts";
import type { Entitlement } from "../entitlements/waiting-grants.ts";
import { promoForm } from "./redeem-action.server.ts";
import {
  canApply,
  effectOfGrant,
  isRedeemable,
  normalizePromoCode,
  PROMO_MESSAGES,
  type Redeemability,
  startAfter,
  tierOfRedemption,
} from "./rules.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const PROMO: Redeemability = {
  startsAt: null,
  expiresAt: null,
  maxUses: null,
  usedCount: 0,
  active: true,
};

describe("normalizePromoCode", () => {
  test.each([
    ["  premium3\n", "PREMIUM3"],
    ["ｐｒｅｍｉｕｍ３", "PREMIUM3"],
    ["straße", "STRASSE"],
    ["\u00a0", ""],
    ["\u200b\u2060", ""],
    ["\u202aSPRING–25\u202c", "SPRING-25"],
    ["PREM\u0130UM3", "PREMIUM3"],
    ["prem\u0131um\u0663", "PREMIUM3"],
    ["PRE\u00adMIUM3\ufeff", "PREMIUM3"],
    ["\u0390", "\u03aa\u0301"],
    ["", ""],
  ])("%j is %j", (input, code) => expect(normalizePromoCode(input)).toBe(code));

  test("what is too long to be a code is not put in order, which can take seconds", () => {
    const marks = "a\u0315\u0300".repeat(400_000);
    expect(normalizePromoCode(marks)).toBe(marks.slice(0, 257));
    expect(promoForm.safeParse({ code: marks }).error?.issues[0]?.message).toBe(PROMO_MESSAGES.invalid);
  });

  test("normalizing again changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (input) => {
        const once = normalizePromoCode(input);
        expect(normalizePromoCode(once)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });
});

describe("isRedeemable", () => {
  test.each([
    ["without limits", {}, true],
    ["switched off", { active: false }, false],
    ["beginning this instant", { startsAt: NOW }, true],
    ["beginning in a millisecond", { startsAt: new Date(NOW.getTime() + 1) }, false],
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

describe("effectOfGrant", () => {
  const day = (days: number) => new Date(NOW.getTime() + days * 24 * 60 * 60 * 1000);
  const held = (tier: Tier, days: number): Entitlement => ({
    tier,
    source: "promo",
    expiresAt: day(days),
    renews: false,
  });
  const paid = (tier: Tier, days: number, renews: boolean): Entitlement => ({
    ...held(tier, days),
    source: "paid",
    renews,
  });

  test.each([
    ["nothing held", "basic", 30, [], "applies"],
    ["a lower plan held for longer", "premium", 30, [held("basic", 900)], "applies"],
    ["a lower plan paid for", "premium", 30, [paid("basic", 20, true)], "applies"],
    ["the same plan, ending sooner", "premium", 30, [held("premium", 20)], "applies"],
    ["the same plan, ending with it", "premium", 30, [held("premium", 30)], "adds_nothing"],
    ["the same plan, ending later", "premium", 30, [held("premium", 40)], "adds_nothing"],
    ["the same plan, paid and renewing sooner", "premium", 30, [paid("premium", 5, true)], "adds_nothing"],
    [
      "the same plan, paid and cancelled, ending sooner",
      "premium",
      30,
      [paid("premium", 5, false)],
      "applies",
    ],
    ["a higher plan ending later", "basic", 30, [held("premium", 40)], "adds_nothing"],
    ["a higher plan ending with it", "basic", 30, [held("premium", 30)], "adds_nothing"],
    ["a higher plan ending sooner", "basic", 30, [held("premium", 20)], "follows"],
    ["a higher plan that renews", "basic", 30, [paid("premium", 5, true)], "adds_nothing"],
    ["a higher plan, cancelled, ending sooner", "basic", 30, [paid("premium", 5, false)], "follows"],
    [
      "a higher one now and the same for longer",
      "basic",
      30,
      [held("premium", 5), held("basic", 40)],
      "adds_nothing",
    ],
    [
      "a higher one now and the same for a while",
      "basic",
      30,
      [held("premium", 5), held("basic", 20)],
      "follows",
    ],
  ] as const)("%s: a code for %s of %i days", (_what, tier, days, plans, kind) => {
    expect(effectOfGrant({ tier, expiresAt: day(days) }, plans, NOW).kind).toBe(kind);
  });

  const SECOND = 1 / (24 * 60 * 60);
  test.each([
    ["the same plan", [held("basic", 29)], "applies"],
    ["the same plan, a second short of a day", [held("basic", 29 + SECOND)], "adds_nothing"],
    ["the same plan, by seconds", [held("basic", 30 - 3 * SECOND)], "adds_nothing"],
    ["the same plan, paid and cancelled", [paid("basic", 29, false)], "applies"],
    ["the same plan, paid and cancelled, short", [paid("basic", 29 + SECOND, false)], "adds_nothing"],
    ["a higher plan", [held("premium", 29)], "follows"],
    ["a higher plan, a second short of a day", [held("premium", 29 + SECOND)], "adds_nothing"],
    ["the longer of two", [held("premium", 3), held("basic", 29 + SECOND)], "adds_nothing"],
    ["the higher of two", [held("premium", 29 + SECOND), held("basic", 3)], "adds_nothing"],
  ] as const)("24 hours more are something, less is nothing: beside %s", (_what, plans, kind) => {
    expect(effectOfGrant({ tier: "basic", expiresAt: day(30) }, plans, NOW).kind).toBe(kind);
  });

  test("a month from the 29th, 30th and 31st ends on the same day of February: only the first code is used", () => {
    const until = (expiresAt: string): Entitlement => ({
      ...held("basic", 0),
      expiresAt: new Date(expiresAt),
    });
    const first = until("2027-02-28T10:00:00Z");
    const effect = (end: string) => effectOfGrant(until(end), [first], new Date("2027-01-31T18:00:00Z")).kind;
    expect(effect("2027-02-28T18:00:00Z")).toBe("adds_nothing");
    expect(effect("2027-03-01T09:59:59Z")).toBe("adds_nothing");
    expect(effect("2027-03-01T10:00:00Z")).toBe("applies");
  });

  test("forever adds nothing to forever, however old; a higher plan for a shorter time adds itself", () => {
    const forever = day(100 * 365.25);
    for (const [tier, years] of [
      ["basic", 100],
      ["basic", 80],
      ["premium", 80],
    ] as const) {
      const plans = [held("basic", 30), held(tier, years * 365.25)];
      expect(effectOfGrant({ tier: "basic", expiresAt: forever }, plans, NOW)).toEqual({
        kind: "adds_nothing",
        behind: plans[1],
      });
    }
    expect(effectOfGrant({ tier: "premium", expiresAt: day(30) }, [held("basic", 36525)], NOW).kind).toBe(
      "applies",
    );
    expect(effectOfGrant({ tier: "basic", expiresAt: forever }, [held("basic", 900)], NOW).kind).toBe(
      "applies",
    );
  });

  test("what follows starts when the last of what is better, or as good, ends", () => {
    const plans = [held("premium", 5), held("basic", 20)];
    const effect = effectOfGrant({ tier: "basic", expiresAt: day(30) }, plans, NOW);
    expect(effect).toEqual({ kind: "follows", behind: plans[1] });
  });

  const tiers = fc.constantFrom(...TIERS);
  const grants = fc.record({ tier: tiers, expiresAt: fc.integer({ min: 1, max: 60 }).map(day) });
  const plans = fc.array(
    fc.record({
      tier: tiers,
      source: fc.constantFrom("promo", "admin", "paid" as const),
      expiresAt: fc.integer({ min: 1, max: 60 }).map(day),
      renews: fc.boolean(),
    }) as fc.Arbitrary<Entitlement>,
    { maxLength: 4 },
  );
  const DAYS = Array.from({ length: 62 }, (_, number) => day(number));

  /** The highest tier among what is alive at an instant, or `null`. */
  function accessAt(
    at: Date,
    all: readonly { tier: Tier; expiresAt: Date; renews?: boolean }[],
  ): Tier | null {
    const alive = all.filter((plan) => plan.renews || plan.expiresAt > at).map(({ tier }) => tier);
    return TIERS.findLast((tier) => alive.includes(tier)) ?? null;
  }

  test("what never comes into force uses nothing; what is better, or confirmed, is given; access never gets lower", () => {
    fc.assert(
      fc.property(grants, plans, fc.boolean(), (grant, plans, confirms) => {
        const effect = effectOfGrant(grant, plans, NOW);
        const confirmed = confirms && effect.kind === "follows" ? startAfter(effect.behind) : undefined;
        const isUsed = canApply(effect, confirmed);
        const before = DAYS.map((at) => accessAt(at, plans));
        const after = DAYS.map((at) => accessAt(at, [...plans, grant]));
        const gains = DAYS.filter((_, index) => before[index] !== after[index]);
        for (const [index, tier] of before.entries()) {
          const then = after[index];
          if (tier) expect(then && includesTier(then, tier)).toBe(true);
        }
        // A code is never used for nothing, and never refused to a user whom it would help at once.
        if (gains.length === 0) expect(isUsed).toBe(false);
        else if (!plans.some(({ tier }) => tier !== grant.tier && includesTier(tier, grant.tier)))
          expect(isUsed).toBe(true);
        if (gains.length > 0 && confirms) expect(isUsed).toBe(true);
        if (effect.kind === "follows") expect(gains[0]).toEqual(effect.behind.expiresAt);
        if (after[0] !== before[0]) expect(effect).toEqual({ kind: "applies" });
      }),
      { numRuns: 300 },
    );
  });

  test("agreement to one start is not agreement to another", () => {
    const effect = effectOfGrant({ tier: "basic", expiresAt: day(30) }, [held("premium", 20)], NOW);
    expect(canApply(effect, startAfter(held("premium", 20)))).toBe(true);
    for (const other of [undefined, "", "yes", startAfter(held("premium", 21))])
      expect(canApply(effect, other)).toBe(false);
    const nothing = effectOfGrant({ tier: "basic", expiresAt: day(30) }, [held("premium", 40)], NOW);
    expect(canApply(nothing, startAfter(held("premium", 40)))).toBe(false);
  });
});
