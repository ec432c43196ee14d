import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../test/http.ts";
import { type CachedPage, createPageCache } from "./page-cache.server.ts";

const PAGES: CachedPage[] = [
  { path: "/" },
  { path: "/pricing", query: ["billing"] },
  { path: "/contact", refreshSeconds: 0.05 },
];

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server with nothing but the cache, whose pages count how often they were rendered. */
async function serve(render?: (path: string, count: number, hasSession: boolean) => Promise<Response>) {
  const state = { version: 1, rendered: 0, errors: 0 };
  const cache = createPageCache({
    pages: PAGES,
    version: () => state.version,
    hasSession: (cookie) => /(^|; )session=./.test(cookie),
    async render(path, hasSession) {
      const count = ++state.rendered;
      if (render) return render(path, count, hasSession);
      const who = hasSession ? "a user" : "a visitor";
      return page(`${path} for ${who}, for the ${count}th time. ${"A label. ".repeat(100)}`);
    },
    onError: () => state.errors++,
  });
  const server = createServer((request, response) =>
    cache(request, response, () => response.writeHead(299).end("next")),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { state, ask: (path: string, options?: Asking) => ask(port, path, options) };
}

interface Asking {
  method?: string;
  headers?: Record<string, string>;
}

function page(text: string, status = 200): Response {
  return new Response(text, {
    status,
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'none'" },
  });
}

/** Node's own fetch would take the encoding off. */
async function ask(port: number, path: string, { method = "GET", headers = {} }: Asking = {}) {
  const request = get({ port, path, method, headers, host: "127.0.0.1" });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const body = Buffer.concat(await response.toArray());
  return { status: response.statusCode, headers: response.headers, body, text: body.toString() };
}

test("a page is rendered once, however many ask at once, and again when the version changes", async () => {
  const { state, ask } = await serve();
  const first = await Promise.all(Array.from({ length: 20 }, () => ask("/")));
  expect(new Set(first.map(({ text }) => text)).size).toBe(1);
  expect([(await ask("/")).status, state.rendered]).toEqual([200, 1]);
  state.version++;
  expect((await ask("/")).text).toContain("2th time");
  expect((await ask("/")).text).toContain("2th time");
});

test("every encoding holds the same page, with its own ETag", async () => {
  const { ask } = await serve();
  const plain = await ask("/");
  const br = await ask("/", { headers: { "accept-encoding": "gzip, br" } });
  const gzip = await ask("/", { headers: { "accept-encoding": "gzip" } });
  expect(brotliDecompressSync(br.body).toString()).toBe(plain.text);
  expect(gunzipSync(gzip.body).toString()).toBe(plain.text);
  expect([br.headers["content-encoding"], gzip.headers["content-encoding"]]).toEqual(["br", "gzip"]);
  expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
  expect(br.headers["content-length"]).toBe(String(br.body.byteLength));
  for (const { headers } of [plain, br, gzip]) {
    expect(headers.vary).toBe("Accept-Encoding, Cookie");
    expect(headers["cache-control"]).toMatch(/^public, max-age=0, s-maxage=60, stale-while-revalidate=/);
    expect(headers["content-security-policy"]).toBe("default-src 'none'");
  }
});

test.each([
  ["the tag itself", (etag: string) => etag],
  ["one of several", (etag: string) => `"other", W/${etag}`],
  ["anything", () => "*"],
])("who holds the page is told so: %s", async (_what, header) => {
  const { ask } = await serve();
  const headers = { "accept-encoding": "br" };
  const { etag = "" } = (await ask("/", { headers })).headers;
  const held = await ask("/", { headers: { ...headers, "if-none-match": header(etag) } });
  expect([held.status, held.text, held.headers.etag]).toEqual([304, "", etag]);
  expect(held.headers["cache-control"]).toContain("public");
  expect(held.headers["content-length"]).toBeUndefined();
  const other = await ask("/", { headers: { "if-none-match": etag } });
  expect(other.status, "the tag of another encoding is of other bytes").toBe(200);
});

test("HEAD says the same without the page", async () => {
  const { ask } = await serve();
  const whole = await ask("/");
  const head = await ask("/", { method: "HEAD" });
  expect([head.status, head.text]).toEqual([200, ""]);
  expect({ ...head.headers, date: "" }).toEqual({ ...whole.headers, date: "" });
});

test("queries that mean nothing to the page do not make it another one, those that do go on", async () => {
  const { state, ask } = await serve();
  await ask("/");
  expect((await ask("/?utm_source=newsletter")).status).toBe(200);
  expect(state.rendered).toBe(1);
  expect((await ask("/pricing?billing=annual")).text).toBe("next");
  expect((await ask("/pricing?utm_source=x")).status).toBe(200);
});

test.each([
  ["a page it does not know", "/login", {}],
  ["another method", "/", { method: "POST" }],
  ["a path that only looks like one", "//", {}],
  ["a page's data", "/pricing.data", {}],
])("goes on for %s", async (_what, path, options) => {
  const { ask } = await serve();
  expect((await ask(path, options)).text).toBe("next");
});

test("a page that cannot be rendered goes on; one that could once is given out as it was", async () => {
  let isAway = true;
  const { state, ask } = await serve(async (path, count) => {
    if (isAway) return page("Unexpected Application Error!", 500);
    return page(`${path} ${count}`);
  });
  expect((await ask("/")).text).toBe("next");
  expect(state.errors).toBe(1);
  isAway = false;
  expect((await ask("/")).text).toBe("/ 2");
  isAway = true;
  state.version++;
  expect((await ask("/")).text).toBe("/ 2");
  expect((await ask("/")).text, "and is not tried again at once").toBe("/ 2");
  expect(state.rendered).toBe(3);
  isAway = false;
  state.version++;
  expect((await ask("/")).text).toBe("/ 4");
});

test("a page that takes too long to be rendered anew is given out as it was", async () => {
  const rendering = Promise.withResolvers<void>();
  const { state, ask } = await serve(async (_path, count) => {
    if (count > 1) await rendering.promise;
    return page(`rendered ${count}`);
  });
  await ask("/");
  state.version++;
  expect((await ask("/")).text).toBe("rendered 1");
  rendering.resolve();
  await eventually(async () => (await ask("/")).text === "rendered 2", "the page is rendered again");
  expect(state.rendered).toBe(2);
});

test("a page may be kept for a moment only", async () => {
  const { state, ask } = await serve();
  await ask("/contact");
  await eventually(
    async () => (await ask("/contact")).text.includes("2th time"),
    "the page is rendered again",
  );
  expect(state.rendered).toBe(2);
  expect((await ask("/contact")).headers["cache-control"]).toContain("s-maxage=0.05");
});

test("a change while a page is being rendered is not lost", async () => {
  const rendering = Promise.withResolvers<void>();
  const { state, ask } = await serve(async (_path, count) => {
    if (count === 1) await rendering.promise;
    return page(`rendered ${count}`);
  });
  const early = ask("/");
  await eventually(async () => state.rendered === 1, "the page is rendered");
  state.version++;
  rendering.resolve();
  expect((await early).text).toBe("rendered 1");
  expect((await ask("/")).text).toBe("rendered 2");
});

const SIGNED_IN = { headers: { cookie: "session=x" } };

test("who carries a session gets a page of their own, which no shared cache keeps", async () => {
  const { state, ask } = await serve();
  const [visitor, signedIn] = [await ask("/"), await ask("/", SIGNED_IN)];
  expect(visitor.text).toContain("for a visitor");
  expect(signedIn.text).toContain("for a user");
  expect(signedIn.headers["cache-control"]).toBe("private, no-cache");
  expect(signedIn.headers.vary).toBe("Accept-Encoding, Cookie");
  expect([(await ask("/")).text, (await ask("/", SIGNED_IN)).text]).toEqual([visitor.text, signedIn.text]);
  expect(state.rendered, "each is kept").toBe(2);
});

test("the page a browser kept before signing in or out is not confirmed afterwards", async () => {
  const { ask } = await serve();
  const [visitor, signedIn] = [await ask("/"), await ask("/", SIGNED_IN)];
  const held = (etag = "", cookie?: string) =>
    ask("/", { headers: { "if-none-match": etag, ...(cookie && { cookie }) } });
  const statuses = async (cookie?: string) => [
    (await held(visitor.headers.etag, cookie)).status,
    (await held(signedIn.headers.etag, cookie)).status,
  ];
  expect(await statuses()).toEqual([304, 200]);
  expect(await statuses("session=x")).toEqual([200, 304]);
  const { headers } = await held(signedIn.headers.etag, "session=x");
  expect([headers["cache-control"], headers.vary]).toEqual(["private, no-cache", "Accept-Encoding, Cookie"]);
});

test("who carries a session gets the visitor's page when theirs cannot be rendered, and never the other way round", async () => {
  let fails = (hasSession: boolean) => hasSession;
  const { ask, state } = await serve(async (_path, _count, hasSession) =>
    fails(hasSession)
      ? page("Unexpected Application Error!", 500)
      : page(hasSession ? "a user" : "a visitor"),
  );
  expect((await ask("/", SIGNED_IN)).text, "there is none yet").toBe("next");
  await ask("/");
  const borrowed = await ask("/", SIGNED_IN);
  expect([borrowed.status, borrowed.text]).toEqual([200, "a visitor"]);
  expect(borrowed.headers["cache-control"]).toContain("public");
  const tried = state.errors;
  for (let requests = 0; requests < 20; requests++)
    expect((await ask("/", SIGNED_IN)).text, "lent again without another try").toBe("a visitor");
  expect(state.errors).toBe(tried);
  fails = () => false;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect((await ask("/", SIGNED_IN)).text).toBe("a user");
  fails = () => true;
  expect([(await ask("/pricing", SIGNED_IN)).text, (await ask("/pricing")).text]).toEqual(["next", "next"]);
  fails = (hasSession) => !hasSession;
  expect((await ask("/pricing", SIGNED_IN)).text).toBe("a user");
  expect((await ask("/pricing")).text).toBe("next");
  expect(state.errors).toBe(5);
});
