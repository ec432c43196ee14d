import fc from "fast-check";
import { expect, test } from "vitest";
import { foldCode, withoutInvisible } from "./typed-text.ts";

/** All but surrogates, private ones, and the tens of thousands that are alike: ideographs and Hangul syllables. */
const CODE_POINTS = Array.from({ length: 0x110000 }, (_, codePoint) =>
  String.fromCodePoint(codePoint),
).filter((character) => /[^\p{Cs}\p{Co}\p{Cn}\p{Unified_Ideograph}\uac00-\ud7a3]/u.test(character));

test.each([
  ["zero width space", "\u200b"],
  ["word joiner", "\u2060"],
  ["soft hyphen", "\u00ad"],
  ["left-to-right mark", "\u200e"],
  ["right-to-left mark", "\u200f"],
  ["Arabic letter mark", "\u061c"],
  ["embedding", "\u202a"],
  ["override", "\u202e"],
  ["isolates", "\u2066\u2069"],
  ["byte order mark", "\ufeff"],
  ["joiners", "\u200c\u200d"],
  ["variation selector", "\ufe0f"],
  ["tag", "\u{e0041}"],
  ["combining grapheme joiner", "\u034f"],
  ["Hangul fillers", "\u115f\u1160\u3164\uffa0"],
])("%s is dropped wherever it stands", (_what, invisible) => {
  expect(foldCode(`${invisible}SPR${invisible}ING-25${invisible}`)).toBe("SPRING-25");
  expect(withoutInvisible(`${invisible}a${invisible}@b${invisible}`)).toBe("a@b");
});

test.each([..."‐‑‒–—―⸺⸻−﹘﹣-⁃˗➖⁻₋"])("%s is a hyphen", (dash) =>
  expect(foldCode(`SPRING${dash}25`)).toBe("SPRING-25"),
);

test.each([..."\u00a0\u1680\u2003\u2009\u202f\u205f\u3000\t\n\v\u2028\u0020"])(
  "blank %j around it goes",
  (blank) => expect(foldCode(`${blank}AB${blank}`)).toBe("AB"),
);

test.each([
  ["PREM\u0130UM3", "PREMIUM3"],
  ["premi\u0307um3", "premium3"],
  ["prem\u0131um3", "premium3"],
  ["ｐｒｅｍｉｕｍ３", "premium3"],
  ["PREMIUM\u0663", "PREMIUM3"],
  ["\u0645\u0631\u062d\u0628\u0627", "\u0645\u0631\u062d\u0628\u0627"],
])("%s is %s", (typed, code) => expect(foldCode(typed)).toBe(code));

test("digits of every numbering system are digits", () => {
  const systems = Intl.supportedValuesOf("numberingSystem").filter((system) =>
    /^\p{Nd}{10}$/u.test(digitsOf(system)),
  );
  expect(systems.length).toBeGreaterThan(60);
  for (const system of systems) expect([system, foldCode(digitsOf(system))]).toEqual([system, "1234567890"]);
});

test("no digit and no invisible character is left, whatever the code point, and folding again changes nothing", () => {
  const wrong = CODE_POINTS.filter((character) => {
    const once = foldCode(`A${character}B`);
    return foldCode(once) !== once || /(?!\d)\p{Nd}|\p{Default_Ignorable_Code_Point}/u.test(once);
  });
  expect(wrong).toEqual([]);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(foldCode(foldCode(text))).toBe(foldCode(text));
    }),
    { numRuns: 2000 },
  );
});

function digitsOf(numberingSystem: string): string {
  return new Intl.NumberFormat("en", { numberingSystem, useGrouping: false }).format(1234567890);
}
