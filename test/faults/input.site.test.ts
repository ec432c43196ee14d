import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { call, checkoutOf, cookieOf, postForm } from "../http.ts";
import { sharedServer } from "../server.fixture.ts";
import { createSignedInUsers } from "../users.ts";

const server = sharedServer();
let cookie: string;

const newAddress = () => `${randomUUID()}@example.com`;

beforeAll(async () => {
  const [user] = await createSignedInUsers(server.pool, 1);
  cookie = user?.cookie ?? "";
});

/** A request as it would come from something that is no browser. */
function raw(method: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: server.port, method, path }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", reject).end();
  });
}

describe("what is no form", () => {
  test.each(["/login", "/register", "/subscription", "/test-promo"])(
    "%s answers 400 and a page",
    async (path) => {
      for (const [type, body] of [
        ["application/json", "{}"],
        ["text/plain", "a=b"],
        ["multipart/form-data; boundary=x", "--y\r\nbroken"],
      ] as const) {
        const response = await fetch(server.origin + path, {
          method: "POST",
          headers: { origin: server.origin, cookie: path.length > 10 ? cookie : "", "content-type": type },
          body,
        });
        expect(response.status).toBe(400);
        expect(await response.text()).toContain("We couldn’t read that");
      }
    },
  );
});

test("NUL and other control characters are refused like any other wrong value", async () => {
  const promo = await postForm(server, "/subscription", { form: "promo", code: "WEL\u0000COME" }, cookie);
  expect([promo.status, await promo.text()]).toEqual([
    400,
    expect.stringContaining("Invalid or expired promo code"),
  ]);
  expect(
    (await postForm(server, "/subscription", { form: "checkout", price: "\u0000" }, cookie)).status,
  ).toBe(400);
  expect((await call(server, checkoutOf(server, "\u0000"), cookie)).status).toBe(400);
  const back = await fetch(`${server.origin}/dashboard?session_id=%00`, {
    headers: { cookie },
    redirect: "manual",
  });
  expect([back.status, back.headers.get("location")]).toEqual([302, "/dashboard"]);
  const name = { name: "A\u0000da", email: "ada@example.com", password: "correct horse battery" };
  expect((await postForm(server, "/register", name)).status).toBe(400);
});

test("odd requests get plain answers", async () => {
  expect(await raw("GET", `http://proxy.example/faq`)).toBe(200);
  expect(await raw("OPTIONS", "*")).toBe(400);
  expect(await raw("TRACE", "/")).toBe(405);
  expect(await raw("TRACE", "/sandbox/stripe/control")).toBe(405);
  expect(await raw("HEAD", "/pricing")).toBe(200);
  expect((await postForm(server, "/faq", {})).status).toBe(405);
  expect((await postForm(server, "/nowhere", {})).status).toBe(404);
});

test("a request without a body, and without a word about its length, is answered", async () => {
  const { hostname, port } = new URL(server.origin);
  for (const [path, status] of [
    ["/waitlist", 400],
    ["/nowhere", 404],
    ["/functions/us-central1/createCheckoutSession", 400],
    ["/sandbox/stripe/v1/customers", 401],
  ] as const) {
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nOrigin: ${server.origin}\r\nConnection: close\r\n\r\n`,
    );
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  }
});

test("a body beyond the limit is refused while it is still being sent", async () => {
  const endless = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Or fetch may read on and on without a turn of the event loop, in which it would learn of the answer.
      await setImmediate();
      controller.enqueue(new TextEncoder().encode("a".repeat(16 * 1024)));
    },
  });
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers: { origin: server.origin, "content-type": "application/x-www-form-urlencoded" },
    body: endless,
    duplex: "half",
  };
  expect((await fetch(`${server.origin}/login`, init)).status).toBe(413);
});

test("what only the signed-in may see is not kept by anybody on the way", async () => {
  for (const path of ["/dashboard", "/dashboard.data", "/subscription", "/subscription.data"]) {
    const response = await fetch(server.origin + path, { headers: { cookie } });
    expect([path, response.headers.get("cache-control")]).toEqual([path, "no-store"]);
  }
});

test("when signing up or in breaks on our side, the form stays and says so in the spec's words", async () => {
  const person = { name: "Ada", email: newAddress(), password: "correct horse battery" };
  const without = async (table: string, path: string) => {
    await server.pool.query(`ALTER TABLE ${table} RENAME TO away`);
    const response = await postForm(server, path, person);
    await server.pool.query(`ALTER TABLE away RENAME TO ${table}`);
    return [response.status, await response.text()];
  };
  expect(await without("account", "/register")).toEqual([500, expect.stringContaining("Failed to sign up")]);
  expect((await postForm(server, "/register", person)).status).toBe(303);
  const signIn = await without("session", "/login");
  expect(signIn).toEqual([500, expect.stringContaining("Failed to sign in")]);
  expect(signIn[1]).toContain(`value="${person.email}"`);
  expect((await postForm(server, "/login", person)).status).toBe(303);
});

test("one form sent three times at once makes one account, and lets its maker in each time", async () => {
  const person = { name: "Ada", email: newAddress(), password: "correct horse battery" };
  const all = await Promise.all([1, 2, 3].map(() => postForm(server, "/register", person)));
  expect(all.map(({ status, headers }) => [status, headers.get("location")])).toEqual(
    all.map(() => [303, "/dashboard"]),
  );
  for (const response of all) {
    const headers = { cookie: cookieOf(response) };
    const dashboard = await fetch(`${server.origin}/dashboard`, { headers, redirect: "manual" });
    expect(dashboard.status).toBe(200);
  }
  const { rowCount } = await server.pool.query(`SELECT FROM "user" WHERE email = $1`, [person.email]);
  expect(rowCount).toBe(1);
  const stranger = await postForm(server, "/register", { ...person, password: "lantern pickle ocean 12" });
  expect([stranger.status, await stranger.text()]).toEqual([
    400,
    expect.stringContaining("This email address already has an account"),
  ]);
});
