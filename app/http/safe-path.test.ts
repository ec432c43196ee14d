import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RouteFile, routeFiles } from "../../test/entrances.ts";
import { loginPath, pathOnSite, safePath } from "./safe-path.ts";

describe("safePath", () => {
  test.each([
    "/",
    "/dashboard",
    "/subscription?promo=PREMIUM3",
    "/account/email?x=%2F%2Fevil.example",
    "/verify-email?token=abc",
    "/ACCOUNT/sessions",
  ])("keeps %s", (path) => {
    expect(safePath(path, "/fallback")).toBe(path);
  });

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
    "/auth/popup/google?intent=connect",
    "/AUTH/popup/google",
    "/%61uth/popup/google",
    "/%2561uth/popup/google",
    "/./auth/popup/google",
    "/account/../auth/popup/google",
    "/account/%2e%2E/auth/popup/google",
    "/account/..%2fauth/popup/google",
    "/account\\..\\auth\\popup\\google",
    "/\tauth/popup/google",
    "/au\nth/popup/google",
    "/auth",
    "/auth.data",
    "/auth;/x",
    "/logout",
    "/login?return_to=/login",
    "/register",
    "/functions/us-central1/createCheckoutSession",
    "/v1/accounts:update",
    "/api/token",
    "/webhooks/stripe",
    "/sandbox/mail",
    "/assets/a.js",
    "/nowhere",
  ])("refuses %j", (path) => expect(safePath(path, "/fallback")).toBe("/fallback"));

  test("of all routes there are, it keeps the pages that can be come back to, and nothing else", () => {
    const kept = routeFiles().filter(({ path }) => safePath(path, "/fallback") === path);
    const isReturn = ({ path, file }: RouteFile) =>
      // Only pages that show something count: sign-in, sign-out and popups are never returned to.
      /^export default function/m.test(readFileSync(`app/${file}`, "utf8")) &&
      !/^\/(login|login\/second-factor|logout|register|auth\/.*|\*)$/.test(path);
    // Downloads, to which the account page and the console link, photos, what is shown in frames, and feeds; and one that leads on.
    const isExport = ({ path }: RouteFile) =>
      /^\/account\/(export|time-zone|photo\/:version)$|\/feed\.xml$/.test(path) ||
      /^\/admin\/.+(\.csv|\/export|\/photo|\/html)$/.test(path);
    expect(kept.map(({ path }) => path)).toEqual(
      routeFiles()
        .filter((route) => isReturn(route) || isExport(route))
        .map(({ path }) => path),
    );
  });

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

  test("however it is written, nobody is sent to where sign-ins begin", () => {
    const part = fc.constantFrom(
      ...["auth", "AUTH", "Auth", "%61uth", "au%74h", "%2561uth", "account", "dashboard", "a", "popup"],
      ...[
        "/",
        "/",
        "/",
        "//",
        "\\",
        "%2f",
        "%2F",
        "%5c",
        ".",
        "..",
        "%2e",
        "%2E%2e",
        "\t",
        "\n",
        ";",
        "?",
        "#",
        "%",
      ],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const path = safePath(`/${parts.join("")}`, "/fallback");
        const { pathname } = new URL(path, "https://own.example");
        expect(fullyDecoded(pathname).split(/[/\\]+/)).not.toContain("..");
        expect(fullyDecoded(pathname)).not.toMatch(/^[/\\.]*auth([/\\;]|$)/i);
      }),
      { numRuns: 5000 },
    );
  });
});

/** Decodes until nothing changes, as a careless reader could. */
function fullyDecoded(path: string): string {
  const once = path.replace(/%[0-9a-f]{2}/gi, (octet) =>
    String.fromCharCode(Number.parseInt(octet.slice(1), 16)),
  );
  return once === path ? path : fullyDecoded(once);
}

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
])("as an address to return to, %j is %j", (address, path) => {
  expect(safePath(pathOnSite(address, "https://own.example"), "/fallback")).toBe(path);
});
