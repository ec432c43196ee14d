import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loginPath, safePath, safeReturn } from "./safe-path.ts";

describe("safePath", () => {
  test.each(["/dashboard", "/subscription?promo=PREMIUM3", "/a/b?x=%2F%2Fevil.example"])(
    "keeps %s",
    (path) => {
      expect(safePath(path, "/fallback")).toBe(path);
    },
  );

  test.each([
    null,
    undefined,
    7,
    "",
    "dashboard",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "/..//evil.example",
    "/.//evil.example",
    `/${"a".repeat(5000)}`,
  ])("refuses %j", (path) => expect(safePath(path, "/fallback")).toBe("/fallback"));

  test("whatever comes in, a browser stays on the site", () => {
    const nasty = fc.string({
      unit: fc.constantFrom("/", "\\", ".", "\t", "\n", "@", ":", "?", "#", "e", "%", "2", "f"),
    });
    fc.assert(
      fc.property(nasty, (path) => {
        const url = new URL(safePath(path, "/fallback"), "https://own.example");
        expect(url.origin).toBe("https://own.example");
      }),
      { numRuns: 2000 },
    );
  });
});

test("loginPath carries the way back and the reason", () => {
  expect(loginPath("/subscription?promo=A&B", "promo")).toBe(
    "/login?return_to=%2Fsubscription%3Fpromo%3DA%26B&reason=promo",
  );
  expect(loginPath("//evil.example")).toBe("/login?return_to=%2Fdashboard");
});

test.each([
  ["https://own.example/subscription?promo=A", "/subscription?promo=A"],
  ["/dashboard", "/dashboard"],
  ["https://own.example//evil.example", "/fallback"],
  ["https://own.example.evil.example/", "/fallback"],
  ["https://own.example@evil.example/", "/fallback"],
  ["https://own.example", "/fallback"],
  ["http://own.example/dashboard", "/fallback"],
  [null, "/fallback"],
])("safeReturn makes %j %j", (address, path) => {
  expect(safeReturn(address, "https://own.example", "/fallback")).toBe(path);
});
