import { expect, test } from "vitest";
import { applyCors, isAllowedOrigin, isFromAnotherOrigin, withoutForeignOrigin } from "./origin-check.ts";

const OWN = "https://own.example";
const APP = "https://app.example";
const RULES = {
  publicOrigin: OWN,
  handoffOrigin: APP,
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
  [
    "a form of ours under no-referrer",
    "POST",
    "/login",
    { "sec-fetch-site": "same-origin", origin: "null" },
    true,
  ],
  [
    "one whose headers contradict each other",
    "POST",
    "/login",
    { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
    false,
  ],
  [
    "the hosted app's, whose headers do",
    "POST",
    "/auth/handoff",
    { "sec-fetch-site": "same-origin", origin: APP },
    false,
  ],
  [
    "a page under another name",
    "POST",
    "/auth/start/google",
    { "sec-fetch-site": "same-origin", origin: "https://www.own.example", host: "www.own.example" },
    true,
  ],
  [
    "one that only says so",
    "POST",
    "/auth/start/google",
    { "sec-fetch-site": "same-origin", origin: "https://evil.example", host: "own.example" },
    false,
  ],
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

test("what is allowed reaches the router without an origin that its own check would refuse", () => {
  const post = (path: string, headers: Record<string, string>) =>
    withoutForeignOrigin(new Request(OWN + path, { method: "POST", headers, body: "x" }), RULES).headers.get(
      "origin",
    );
  expect(post("/login", { origin: OWN })).toBe(OWN);
  expect(post("/login", { origin: "null", "sec-fetch-site": "same-origin" })).toBeNull();
  expect(post("/waitlist/leave?token=x", { origin: "null" })).toBeNull();
  expect(post("/waitlist/leave", { origin: "https://mail.example" })).toBeNull();
  expect(post("/auth/handoff", { origin: APP })).toBeNull();
  const www = { origin: "https://www.own.example", host: "www.own.example", "sec-fetch-site": "same-origin" };
  expect(post("/auth/start/google", www)).toBe("https://www.own.example");
});

test("without a hosted app that hands over, nobody may", () => {
  const request = new Request(`${OWN}/auth/handoff`, { method: "POST", headers: { origin: "null" } });
  expect(isAllowedOrigin(request, { ...RULES, handoffOrigin: null })).toBe(false);
});

test.each([
  ["a page of ours", { "sec-fetch-site": "same-origin" }, false],
  ["an address typed in", { "sec-fetch-site": "none" }, false],
  ["a program", {}, false],
  ["a page of a subdomain", { "sec-fetch-site": "same-site" }, true],
  ["an old browser on another page", { origin: APP }, true],
  ["a page of ours under no-referrer", { "sec-fetch-site": "same-origin", origin: "null" }, false],
  ["a frame without an origin", { origin: "null" }, true],
  ["headers that contradict each other", { "sec-fetch-site": "same-origin", origin: APP }, true],
] as const)("%s is from another origin: %s", (_what, headers, expected) => {
  expect(isFromAnotherOrigin(new Request(`${OWN}/api/token`, { headers }), OWN)).toBe(expected);
});

test.each([
  ["an origin that is configured", "/v1/userinfo", APP, APP],
  ["another", "/v1/userinfo", "https://evil.example", null],
  ["a part of one", "/v1/userinfo", "https://app.exampl", null],
  ["none", "/v1/userinfo", null, null],
  ["a page, from any origin", "/dashboard", APP, null],
])("scripts may read what JSON endpoints answer, without cookies: %s", (_who, path, origin, allowed) => {
  const headers = new Headers();
  const asked = new Request(OWN + path, { headers: origin === null ? {} : { origin } });
  applyCors(headers, asked, ["https://other.example", APP]);
  expect(headers.get("Access-Control-Allow-Origin")).toBe(allowed);
  expect(headers.has("Access-Control-Allow-Credentials")).toBe(false);
});
