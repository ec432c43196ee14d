import fc from "fast-check";
import { expect, test } from "vitest";
import { tryItFromQuery } from "./from-query.ts";

function labelsOf(query: Record<string, string>) {
  const { lines } = tryItFromQuery(new URLSearchParams(query));
  return Object.fromEntries(lines.flatMap(({ text, label }) => (label === null ? [] : [[text, label]])));
}

const GIVEN = {
  "AMAZON MKTPLACE 88": "Parcels",
  "AMAZON PRIME": "Sofa evenings",
  "NETFLIX.COM": "Sofa evenings",
};

test("without a query it shows an example", () => {
  expect(labelsOf({})).toEqual({
    ...GIVEN,
    "KROGER #4412": "Sunday shop",
    "PAYPAL *KROGER-CO": "Sunday shop",
    "COSTCO WHSE #0482": "Sunday shop",
  });
  const { typed, count } = tryItFromQuery(new URLSearchParams());
  expect(typed).toEqual({ name: "Sunday shop", keywords: "kroger, costco" });
  expect(count).toBe("6 of 12 labeled, 6 need a name.");
});

test("with one it shows what was asked for", () => {
  expect(labelsOf({ category: "Coffee", keywords: "cafe\r\ncoffee, bar" })).toEqual({
    ...GIVEN,
    "CAFÉ ODÉON": "Coffee",
    "SQ *CORNER COFFEE": "Coffee",
  });
  expect(labelsOf({ keywords: "cash" })).toEqual({ ...GIVEN, "BARTON ST ATM CASH": "No name yet" });
  expect(labelsOf({ category: "Nothing" })).toEqual(GIVEN);
  expect(labelsOf({ category: "", keywords: "" })).toEqual(GIVEN);
});

test("the visitor's own keyword goes before a given one of the same length", () => {
  expect(labelsOf({ category: "Mine", keywords: "amazon" })).toEqual({
    ...GIVEN,
    "AMAZON MKTPLACE 88": "Mine",
  });
});

test("cuts what is too long and says so", () => {
  const fits = tryItFromQuery(new URLSearchParams({ category: "🛒".repeat(40), keywords: "a".repeat(400) }));
  expect(fits.remarks).toEqual([]);
  const { typed, remarks } = tryItFromQuery(
    new URLSearchParams({ category: "🛒".repeat(41), keywords: "a".repeat(9000) }),
  );
  expect(typed).toEqual({ name: "🛒".repeat(40), keywords: "a".repeat(400) });
  expect(remarks).toEqual([
    "A name has at most 40 characters, so this one is cut.",
    "Keywords have at most 400 characters together, so the last ones are left out.",
  ]);
});

test("takes any query", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (category, keywords) => {
      expect(tryItFromQuery(new URLSearchParams({ category, keywords })).lines).toHaveLength(12);
    }),
  );
});
