import { expect, test } from "vitest";
import { choiceIn, signUpLink } from "./choice.ts";

const NOTHING = { plan: null, billing: null, promo: null };

test.each([
  ["/subscription", NOTHING],
  ["/subscription?", NOTHING],
  ["?billing=annual", { ...NOTHING, billing: "year" }],
  ["?billing=monthly", { ...NOTHING, billing: "month" }],
  ["?billing=weekly", NOTHING],
  ["?promo=%20SPRING%20", { ...NOTHING, promo: "SPRING" }],
  ["?promo=%20", NOTHING],
  [`?promo=${"x".repeat(500)}`, { ...NOTHING, promo: "x".repeat(100) }],
  ["?plan=x&plan=y", { ...NOTHING, plan: "x" }],
])("%s has chosen %o", (path, choice) => {
  expect(choiceIn(path)).toEqual(choice);
});

test("what was chosen comes back from signing up as it was", () => {
  const choice = { plan: "prod_csv_only", billing: "month", promo: "50% & more" } as const;
  const link = signUpLink(null, choice);
  const returnTo = new URL(link, "http://own.example").searchParams.get("return_to") ?? "";
  expect(choiceIn(returnTo)).toEqual(choice);
  expect(signUpLink(null, {})).toBe("/register");
});

test("the hosted app gets it as a query of its own", () => {
  const choice = { plan: "prod_csv_only", billing: "year", promo: null } as const;
  expect(signUpLink("https://app.own.example", choice)).toBe(
    "https://app.own.example/register?plan=prod_csv_only&billing=annual",
  );
  expect(signUpLink("https://app.own.example", {})).toBe("https://app.own.example/register");
});
