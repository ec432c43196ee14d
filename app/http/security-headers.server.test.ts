import { expect, test } from "vitest";
import { applySecurityHeaders, contentSecurityPolicy } from "./security-headers.server.ts";

const PAGE = {
  publicOrigin: "https://own.example",
  styles: "'sha256-x'",
  formTargets: [],
  widget: null,
};
/** The same, hydrated by React. */
const HYDRATED = { ...PAGE, nonce: "bm9uY2U=" };

test("a page without a widget names no foreign host", () => {
  expect(contentSecurityPolicy(PAGE).replaceAll("https://own.example/", "")).not.toContain("http");
  expect(contentSecurityPolicy(PAGE)).toContain(
    "default-src 'none'; script-src 'none'; style-src 'sha256-x'; img-src 'self' data:; font-src 'self'; connect-src https://own.example/robots.txt; form-action 'self';",
  );
  expect(contentSecurityPolicy(HYDRATED).split("; ").slice(0, 8)).toEqual([
    "default-src 'self'",
    "object-src 'none'",
    "script-src 'self' 'nonce-bm9uY2U='",
    "style-src 'sha256-x' 'nonce-bm9uY2U='",
    "img-src 'self' data:",
    "style-src-attr 'unsafe-inline'",
    "font-src 'self' data:",
    "connect-src 'self'",
  ]);
});

test("a page may send to the origins it is given, and does nothing else there", () => {
  const policy = contentSecurityPolicy({ ...HYDRATED, connectTargets: ["https://app.example"] });
  expect(policy).toContain("; connect-src 'self' https://app.example; form-action 'self';");
});

test("a page frames others of this site only where it says so", () => {
  expect(contentSecurityPolicy(PAGE)).not.toContain("frame-src");
  expect(contentSecurityPolicy({ ...PAGE, hasFrames: true })).toContain("; frame-src 'self'; form-action");
});

test("a page with a widget names its hosts, each for what it brings", () => {
  const widget = { scriptUrl: "https://w.example/w.js", styleUrl: "https://s.example:8443/w.css" };
  const policy = contentSecurityPolicy({ ...PAGE, widget });
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    "script-src https://w.example",
    "style-src 'sha256-x' https://w.example https://s.example:8443",
    "img-src 'self' data: https://w.example https://s.example:8443",
    "font-src 'self'",
    "connect-src https://own.example/robots.txt https://w.example",
    "frame-src https://w.example",
    "form-action 'self' https://w.example",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "manifest-src 'self'",
  ]);
});

test("a widget's other hosts are named for what they bring, and inline styles only when it is said", () => {
  const each = (kind: string) => [`https://${kind}.example`];
  const widget = {
    scriptUrl: "https://w.example/w.js",
    styleUrl: null,
    hasInlineStyles: true,
    hosts: {
      script: each("script"),
      style: each("style"),
      image: each("image"),
      font: each("font"),
      connect: each("connect"),
      frame: each("frame"),
    },
  };
  expect(
    contentSecurityPolicy({ ...PAGE, widget })
      .split("; ")
      .slice(1, 7),
  ).toEqual([
    "script-src https://w.example https://script.example",
    "style-src 'unsafe-inline' https://w.example https://style.example",
    "img-src 'self' data: https://w.example https://image.example",
    "font-src 'self' https://font.example",
    "connect-src https://own.example/robots.txt https://w.example https://connect.example",
    "frame-src https://w.example https://frame.example",
  ]);
});

test("what a page cannot do anyway is not forbidden again", () => {
  const sent = (policy?: string) => {
    const headers = new Headers(policy ? { "Content-Security-Policy": policy } : {});
    applySecurityHeaders(headers, true);
    return [...headers.keys()].filter((name) => name !== "content-security-policy");
  };
  const always = ["strict-transport-security", "x-content-type-options"];
  const forScripts = ["cross-origin-opener-policy", "permissions-policy", "referrer-policy"];
  expect(sent(contentSecurityPolicy(PAGE))).toEqual(always);
  expect(sent(contentSecurityPolicy(HYDRATED))).toEqual([...forScripts, ...always]);
  // One script, known by its hash: a first visit need not wait for a process of its own.
  expect(sent(contentSecurityPolicy({ ...PAGE, inlineScriptHash: "'sha256-y'" }))).toEqual([
    ...forScripts.slice(1),
    ...always,
  ]);
  expect(sent()).toEqual(["cross-origin-opener-policy", "referrer-policy", ...always]);
});

test("what is not a page loads nothing when it is opened as one, and is framed by none", () => {
  const headers = new Headers({ "Content-Type": "text/csv" });
  applySecurityHeaders(headers, true);
  expect(headers.get("Content-Security-Policy")).toBe(
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test("an answer's own opener policy stands", () => {
  const headers = new Headers({ "Cross-Origin-Opener-Policy": "unsafe-none" });
  applySecurityHeaders(headers, true);
  expect(headers.get("Cross-Origin-Opener-Policy")).toBe("unsafe-none");
});

test("an answer's own referrer policy stands", () => {
  const headers = new Headers({ "Referrer-Policy": "same-origin" });
  applySecurityHeaders(headers, true);
  expect(headers.get("Referrer-Policy")).toBe("same-origin");
  const others = new Headers();
  applySecurityHeaders(others, true);
  expect(others.get("Referrer-Policy")).toBe("strict-origin-when-cross-origin");
});
