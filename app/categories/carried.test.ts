import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_PATH_LENGTH, safePath } from "../http/safe-path.ts";
import { CATEGORIES_PATH, categoriesIn, describeCarried, keepLink, withoutCarried } from "./carried.ts";
import { type CategoryInput, MAX_CATEGORIES } from "./category-input.ts";

const pathOf = (typed: CategoryInput[]) => keepLink(typed)?.href ?? "";

function carriedBy(typed: CategoryInput[]): CategoryInput[] {
  return categoriesIn(new URLSearchParams(pathOf(typed).split("?")[1]));
}

test("takes categories along as they are, but for blank ones and those beyond six", () => {
  const typed = [
    { name: "Too much coffee", keywords: "café\ncoffee & bar" },
    { name: " ", keywords: "" },
    { name: "", keywords: "cash" },
  ];
  expect(carriedBy(typed)).toEqual([typed[0], typed[2]]);
  const seven = Array.from({ length: 7 }, (_, index) => ({ name: `Number ${index}`, keywords: "a" }));
  expect(carriedBy(seven)).toEqual(seven.slice(0, MAX_CATEGORIES));
  expect(keepLink(seven)?.leftOut).toBe(1);
  expect(keepLink([])).toBeNull();
  expect(keepLink([{ name: "", keywords: "\n" }])).toBeNull();
});

test("whatever is typed, the path is one that signing in leads back to, and says what it leaves out", () => {
  const category = fc.record({
    name: fc.string({ unit: "grapheme", maxLength: 60 }),
    keywords: fc.string({ unit: "grapheme", maxLength: 600 }),
  });
  fc.assert(
    fc.property(fc.array(category, { maxLength: 8 }), (typed) => {
      const link = keepLink(typed);
      if (!link) return;
      const path = pathOf(typed);
      expect(path.length).toBeLessThanOrEqual(MAX_PATH_LENGTH);
      expect(safePath(path, "")).toBe(path);
      const notBlank = typed.filter((each) => each.name.trim() || each.keywords.trim());
      expect(carriedBy(typed).length + link.leftOut).toBe(notBlank.length);
    }),
  );
});

test("leaves out the last ones that make the path longer than signing in leads back to", () => {
  const long = Array.from({ length: 6 }, (_, index) => ({
    name: `Number ${index}`,
    keywords: "y".repeat(400),
  }));
  expect(carriedBy(long)).toEqual(long.slice(0, 4));
  expect(keepLink(long)?.leftOut).toBe(2);
  expect(safePath(pathOf(long), "")).toBe(pathOf(long));
});

test("takes along one category of the longest allowed in Latin letters", () => {
  expect(carriedBy([{ name: "x".repeat(41), keywords: "y".repeat(500) }])).toEqual([
    { name: "x".repeat(40), keywords: "y".repeat(400) },
  ]);
});

test("says what comes along on the way to the account alone, and leaves it out of what is stored", () => {
  const path = `${CATEGORIES_PATH}?category=Coffee&keywords=cafe&category=&keywords=cash`;
  expect(describeCarried(path)).toBe(
    "Your words come along: Coffee, No name yet. You decide there whether we keep them.",
  );
  expect(withoutCarried(path)).toBe(CATEGORIES_PATH);
  for (const other of ["/subscription?category=a&keywords=b", `${CATEGORIES_PATH}?saved=1`, "/"]) {
    expect(describeCarried(other)).toBeUndefined();
    expect(withoutCarried(other)).toBe(other);
  }
});
