import { expect, test } from "vitest";
import { PATH_RULES } from "../path-rules.ts";
import { isAllowedOrigin, isFromAnotherOrigin, withoutForeignOrigin } from "./origin-check.ts";

const OWN = "https://own.example";
const APP = "https://app.example";
const RULES = {
  publicOrigin: OWN,
  fromAnywhere: PATH_RULES.fromAnywhere,
  handoff: { path: PATH_RULES.handoff, origin: APP },
};

test.each([
  ["a GET from anywhere", "GET", "/dashboard", { "sec-fetch-site": "cross-site" }, true],
  ["a form of ours", "POST", "/login", { "sec-fetch-site": "same-origin" }, true],
  ["a form of a subdomain", "POST", "/login", { "sec-fetch-site": "same-site", origin: OWN }, false],
  [
    "a form of another site",
    "POST",
    "/login",
    { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    false,
  ],
  ["an old browser's form of ours", "POST", "/login", { origin: OWN }, true],
  ["an old browser's form of another", "POST", "/login", { origin: "https://evil.example" }, false],
  ["a sandboxed frame", "POST", "/login", { origin: "null" }, false],
  ["neither header", "POST", "/login", {}, false],
  ["neither header, to the router's data", "POST", "/login.data", {}, false],
  ["another unsafe method", "DELETE", "/dashboard", {}, false],
  ["a program without a cookie", "POST", "/functions/us-central1/createCheckoutSession", {}, true],
  [
    "a program with a cookie",
    "POST",
    "/functions/us-central1/createCheckoutSession",
    { cookie: "session=x" },
    false,
  ],
  ["Stripe", "POST", "/webhooks/stripe", {}, true],
  ["a mail program's one-click unsubscribe", "POST", "/waitlist/leave?token=x", {}, true],
  ["the same for another page of the list", "POST", "/waitlist/confirm?token=x", {}, false],
  ["what only begins like it", "POST", "/waitlist/leave/x", {}, false],
  ["its data", "POST", "/waitlist/leave.data?token=x", {}, false],
  [
    "the hosted app, handing over",
    "POST",
    "/auth/handoff",
    { "sec-fetch-site": "cross-site", origin: APP },
    true,
  ],
  ["another site, handing over", "POST", "/auth/handoff", { origin: "https://evil.example" }, false],
  ["nobody knows who, handing over", "POST", "/auth/handoff", {}, false],
  ["a page that hides its origin, handing over", "POST", "/auth/handoff", { origin: "null" }, false],
  ["the hosted app, handing over data", "POST", "/auth/handoff.data", { origin: APP }, false],
  ["the hosted app, anywhere else", "POST", "/login", { origin: APP }, false],
  ["what only looks like Stripe", "POST", "/webhooks/stripe/../login", {}, false],
] as const)("%s", (_what, method, path, headers, expected) => {
  expect(isAllowedOrigin(new Request(OWN + path, { method, headers }), RULES)).toBe(expected);
});

test("a mail program's origin does not keep its user on a list; everywhere else it stays", () => {
  const post = (path: string, origin: string) =>
    withoutForeignOrigin(new Request(OWN + path, { method: "POST", headers: { origin }, body: "x" }), RULES);
  expect(post("/waitlist/leave?token=x", "null").headers.has("origin")).toBe(false);
  expect(post("/waitlist/leave", "https://mail.example").headers.has("origin")).toBe(false);
  expect(post("/waitlist/leave", OWN).headers.get("origin")).toBe(OWN);
  expect(post("/auth/handoff", APP).headers.has("origin")).toBe(false);
  expect(post("/auth/handoff", "https://evil.example").headers.get("origin")).toBe("https://evil.example");
  expect(post("/login", "https://evil.example").headers.get("origin")).toBe("https://evil.example");
});

test("without a hosted app that hands over, nobody may", () => {
  const request = new Request(`${OWN}/auth/handoff`, { method: "POST", headers: { origin: "null" } });
  expect(isAllowedOrigin(request, { ...RULES, handoff: null })).toBe(false);
});

test.each([
  ["a page of ours", { "sec-fetch-site": "same-origin" }, false],
  ["an address typed in", { "sec-fetch-site": "none" }, false],
  ["a program", {}, false],
  ["a page of a subdomain", { "sec-fetch-site": "same-site" }, true],
  ["an old browser on another page", { origin: APP }, true],
] as const)("%s is from another origin: %s", (_what, headers, expected) => {
  expect(isFromAnotherOrigin(new Request(`${OWN}/api/token`, { headers }), OWN)).toBe(expected);
});
