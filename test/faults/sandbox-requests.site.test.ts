import { request } from "node:http";
import { expect, test } from "vitest";
import { sharedServer } from "../server.fixture.ts";
import { startServer } from "../server.ts";

const server = sharedServer();

const KNOBS = "/sandbox/stripe/control";

/** @param port of the site, or of the Stripe sandbox's own */
function statusOf(
  method: string,
  path: string,
  headers: Record<string, string>,
  port = server.port,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once("error", reject);
    sent.end(method === "POST" && path === KNOBS ? "{}" : undefined);
  });
}

test.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]", "1"])(
  "the sandboxes do not answer a page that calls this machine %s",
  async (host) => {
    const headers = { host: `${host}:${server.port}` };
    for (const path of [
      "/sandbox/mail",
      "/sandbox/mail.json",
      "/sandbox/stripe/control",
      "/sandbox/identity/google/jwks",
    ])
      expect([path, await statusOf("GET", path, headers)]).toEqual([path, 421]);
    expect(await statusOf("GET", "/v1/prices", headers, new URL(server.stripeOrigin).port)).toBe(421);
  },
);

test("they answer at every name of loopback, with any port", async () => {
  for (const host of [`localhost:${server.port}`, "127.0.0.1:1", "[::1]", "own.localhost"])
    expect([host, await statusOf("GET", "/sandbox/mail", { host })]).toEqual([host, 200]);
});

test.each([
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ "sec-fetch-site": "cross-site", origin: "http://localhost" }, 403],
  [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }, 403],
  [{ origin: "https://evil.example" }, 403],
  [{ origin: "http://localhost.evil.example" }, 403],
  [{ origin: "null" }, 403],
  [{ "sec-fetch-site": "same-origin", origin: "null" }, 200],
  [{ "sec-fetch-site": "same-origin", origin: "http://localhost:3000" }, 200],
  [{ origin: "http://127.0.0.1:3000" }, 200],
  [{}, 200],
] as [Record<string, string>, number][])("a write with %o is answered %i", async (headers, status) => {
  expect(await statusOf("POST", KNOBS, headers)).toBe(status);
  const port = new URL(server.stripeOrigin).port;
  const key = { ...headers, authorization: "Bearer sk_test_sandbox" };
  expect(await statusOf("POST", "/v1/customers", key, port)).toBe(status);
});

test("a public demonstration answers at its own host, and at no other", async () => {
  const demonstration = await startServer({ SANDBOX: "public", PUBLIC_ORIGIN: "http://demo.example" });
  for (const [host, status] of [
    ["demo.example", 200],
    ["demo.example.evil.example", 421],
    ["evil.example", 421],
  ] as const)
    expect(await statusOf("GET", "/sandbox/mail", { host }, demonstration.port)).toBe(status);
  const write = (origin: string) =>
    statusOf("POST", KNOBS, { host: "demo.example", origin }, demonstration.port);
  expect([await write("http://demo.example"), await write("https://evil.example")]).toEqual([200, 403]);
  await demonstration.stop();
});
