import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../http.ts";
import { setupServer } from "../server.fixture.ts";

const server = setupServer({ LOG_LEVEL: "info" });
/** What the server has printed. */
let logged = "";

beforeAll(() => {
  server.child.stdout?.on("data", (chunk: Buffer) => {
    logged += chunk;
  });
});

/** Sends requests one after the other by one connection, as they are written. @returns its answers, as they came */
async function bySocket(...requests: string[]): Promise<string> {
  const socket = connect(Number(server.port), "localhost");
  socket.write(requests.join(""));
  return Buffer.concat(await socket.toArray()).toString("utf8");
}

function post(path: string, type: string, body: string): string {
  const headers = [
    "Host: a",
    `Origin: ${server.origin}`,
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
  ];
  return `POST ${path} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n${body}`;
}

const LAST = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const FORM = "application/x-www-form-urlencoded";

test.each([
  "bytes=5-2",
  "bytes=0-99999999999999999999",
  "bytes=3-1,0-0",
  "bytes=-",
  "bytes=9-",
  "lines=1-2",
  "bytes=0-0",
])("Range: %s gets the whole file", async (range) => {
  const response = await fetch(`${server.origin}/favicon.ico`, { headers: { range } });
  expect([response.status, String((await response.arrayBuffer()).byteLength)]).toEqual([
    200,
    response.headers.get("content-length"),
  ]);
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
});

test("static files: compressed, kept by what they are, and asked for again by their tag", async () => {
  const page = await (await fetch(`${server.origin}/login`)).text();
  const [script = ""] = /\/assets\/root-[\w-]+\.js/.exec(page) ?? [];
  for (const encoding of ["br", "gzip", "identity"]) {
    const headers = { "accept-encoding": encoding };
    const file = await fetch(server.origin + script, { headers });
    expect(await file.text()).toContain("We couldn’t reach the site");
    expect(file.headers.get("content-encoding")).toBe(encoding === "identity" ? null : encoding);
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(file.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    // Its name says what is in it.
    expect(file.headers.get("etag")).toBeNull();
  }
  const icon = await fetch(`${server.origin}/icon.svg`);
  const again = await fetch(icon.url, { headers: { "if-none-match": icon.headers.get("etag") ?? "" } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  const status = async (method: string, path: string) =>
    (await fetch(server.origin + path, { method, headers: { origin: server.origin } })).status;
  expect([await status("HEAD", script), await status("POST", script)]).toEqual([200, 404]);
  expect(await status("GET", `${script}.br`)).toBe(404);
});

describe("what is more than an entrance takes", () => {
  test.each([
    ["/login", FORM, "a".repeat(70_000), 413, "Send at most 64 KB"],
    ["/contact", FORM, "email=a&".repeat(5000), 400, "more than 100 fields"],
    ["/waitlist", FORM, "email=a&email=b", 400, "We couldn’t read that"],
    ["/register", "multipart/form-data; boundary=x", "--x\r\n".repeat(5000), 400, "We couldn’t read that"],
    [
      "/waitlist/leave",
      "multipart/form-data; boundary=x",
      "--x\r\n".repeat(50_000),
      413,
      "Send at most 64 KB",
    ],
    ["/v1/accounts:update", "application/json", "[".repeat(1000), 400, '{"error":{"status"'],
    [
      "/functions/us-central1/createCheckoutSession",
      "application/json",
      "1".repeat(40_000),
      400,
      "Send at most 32 KB",
    ],
    ["/webhooks/stripe", "application/json", "1".repeat(600_000), 413, "Send at most 512 KB"],
    ["/sandbox/stripe/v1/customers", FORM, "a=b&".repeat(101), 400, "more than 100 fields"],
    ["/sandbox/identity/google/token", FORM, "a".repeat(70_000), 413, "Send at most 64 KB"],
    ["/sandbox/identity/control", "application/json", "[".repeat(1000), 400, "32 levels deep"],
    ["/favicon.ico", FORM, "a".repeat(70_000), 413, "Send at most 64 KB"],
    ["/healthz", FORM, "a".repeat(700_000), 200, "alive"],
  ])(
    "%s says so, and the next request on the connection is answered",
    async (path, type, body, status, words) => {
      const answers = await bySocket(post(path, type, body), LAST);
      const last = answers.lastIndexOf("HTTP/1.1 ");
      const [first, second] = [answers.slice(0, last), answers.slice(last)];
      expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(first).toContain(words);
      expect(second).toMatch(/^HTTP\/1\.1 200 [\s\S]*alive/);
    },
  );

  test.each([
    ["a length that is never read whole", "a".repeat(3_000_000)],
    ["no length", new Blob(["a".repeat(3_000_000)]).stream()],
  ])(
    "a body of %s: the answer says that its connection ends, and the next request goes by another",
    async (_, body) => {
      const init: RequestInit & { duplex: "half" } = {
        method: "POST",
        headers: { origin: server.origin, "content-type": FORM },
        body,
        duplex: "half",
      };
      const answer = await fetch(`${server.origin}/login`, init);
      expect([answer.status, answer.headers.get("connection")]).toEqual([413, "close"]);
      expect(await answer.text()).toContain("Send at most 64 KB");
      expect(await (await fetch(`${server.origin}/healthz`)).text()).toBe("alive");
    },
  );

  test("once a body of no length has been read to its end, its connection is closed", async () => {
    const socket = connect({ port: Number(server.port), allowHalfOpen: true });
    const failures: unknown[] = [];
    socket.on("error", (error) => failures.push(error));
    socket.write(post("/login", FORM, "").replace("Content-Length: 0", "Transfer-Encoding: chunked"));
    socket.write(`${(70_000).toString(16)}\r\n${"a".repeat(70_000)}\r\n`);
    const answer = await new Promise<string>((resolve) =>
      socket.once("data", (chunk) => resolve(String(chunk))),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*\r\nConnection: close\r\n/);
    await once(socket, "end");
    // The answer can be read until the body has ended, not afterwards.
    socket.write("1\r\na\r\n0\r\n\r\n");
    const refused = () => new Promise<Error | null | undefined>((resolve) => socket.write("\r\n", resolve));
    await eventually(async () => (await refused()) ?? false, "nobody is there");
    expect(failures).toEqual([expect.objectContaining({ code: "EPIPE" })]);
  });

  test("who reads nothing before all is sent gets the answer too", async () => {
    const socket = connect({ port: Number(server.port), allowHalfOpen: true }).pause();
    socket.write(post("/login", FORM, "").replace("Content-Length: 0", "Content-Length: 1500000"));
    const failure = new Promise((_, reject) => socket.once("error", reject));
    for (let piece = 0; piece < 15; piece++) {
      await Promise.race([new Promise((resolve) => socket.write("a".repeat(100_000), resolve)), failure]);
      await setTimeout(10);
    }
    const [answer] = await Promise.all([once(socket, "data"), socket.resume()]);
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test("a client that does not stop sending is answered, and then cut off", async () => {
    const socket = connect({ port: Number(server.port), allowHalfOpen: true });
    const answer = new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(String(chunk))));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    socket.write(post("/login", FORM, "").replace("Content-Length: 0", "Content-Length: 9999999999"));
    const sending = setInterval(() => socket.writableNeedDrain || socket.write("a".repeat(64_000)), 1);
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    await closed;
    clearInterval(sending);
    // What is on its way counts too.
    expect(socket.bytesWritten).toBeLessThan(30_000_000);
  });
});

test("an address that cannot be read: 400 in words, and one line in the log that names no stack", async () => {
  for (const path of [
    "/%09/",
    "/%09/%00",
    "/%",
    "/%ff",
    "/%ED%A0%80",
    "//evil.example/",
    "/%5Cevil",
    "/sandbox/mail/%00",
  ]) {
    const before = logged.length;
    const answer = await bySocket(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("We can’t read this link");
    await eventually(async () => logged.slice(before).includes("\n"), "it is in the log");
    const [line, ...more] = logged.slice(before).trim().split("\n");
    expect(JSON.parse(line ?? "")).toMatchObject({
      level: "info",
      msg: "request",
      status: 400,
      method: "GET",
    });
    expect(more).toEqual([]);
  }
  const call = await bySocket("GET /v1/%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(call).toContain('{"error":{');
});

test("every page has one address", async () => {
  for (const [asked, path] of [
    ["/features/", "/features"],
    ["/Features", "/features"],
    ["/Pricing/?billing=annual&promo=A", "/pricing?billing=annual&promo=A"],
    ["/Account/Email/", "/account/email"],
    ["/%66aq", "/faq"],
    ["/login/?return_to=//evil.example", "/login?return_to=//evil.example"],
    ["/Functions/us-central1/createCheckoutSession", "/functions/us-central1/createCheckoutSession"],
  ]) {
    const response = await fetch(server.origin + asked, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([308, path]);
  }
  for (const path of ["/", "/nowhere/", "/Nowhere"]) {
    expect((await fetch(server.origin + path, { redirect: "manual" })).headers.get("location")).toBeNull();
  }
});

test("where no endpoint is, a program reads JSON", async () => {
  for (const path of [
    "/functions/europe-west1/createCheckoutSession",
    "/functions/",
    "/v1/accounts:lookup",
    "/v1/x/y",
    "/api/x",
  ]) {
    for (const method of ["GET", "POST", "DELETE"]) {
      const response = await fetch(server.origin + path, { method, headers: { origin: server.origin } });
      expect([response.status, await response.json()]).toEqual([
        404,
        { error: { status: "NOT_FOUND", message: "There is no such endpoint" } },
      ]);
    }
  }
});

test("what a page refuses by itself is one line in the log, and no failure", async () => {
  const before = logged.length;
  expect(await bySocket(post("/reset-password", "text/plain", "x"), LAST)).toMatch(/^HTTP\/1\.1 400 /);
  await eventually(async () => /"\/reset-password"[^\n]*\n/.test(logged.slice(before)), "it is in the log");
  const lines = logged
    .slice(before)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ level, route }) => level !== "info" || route === "/reset-password")).toMatchObject([
    { method: "POST", route: "/reset-password", status: 400 },
  ]);
});
