import { afterAll, beforeAll, expect, test } from "vitest";
import { onCluster } from "../database.ts";
import { call, checkoutOf, eventually, postForm } from "../http.ts";
import { startServer, type TestServer } from "../server.ts";
import { createSignedInUsers } from "../users.ts";

const HTTPS = "https://own.example";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

test("while the database refuses everybody: not ready, alive, a designed error; and back by itself", async () => {
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const status = async (path: string) => (await fetch(server.origin + path)).status;
  for (const path of ["/healthz", "/readyz", "/", "/pricing"]) expect(await status(path)).toBe(200);

  const [user] = await createSignedInUsers(server.pool, 1);
  await onCluster(`ALTER DATABASE ${rows[0].name} WITH ALLOW_CONNECTIONS false`);
  await onCluster(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${rows[0].name}'`);
  await eventually(async () => (await status("/readyz")) === 503, "the server notices");
  expect(await status("/healthz")).toBe(200);
  for (const path of ["/", "/pricing"]) expect(await status(path), "given out as it was").toBe(200);
  const page = await fetch(`${server.origin}/pricing?billing=annual`);
  expect([page.status, page.headers.get("retry-after")]).toEqual([503, "5"]);
  const text = await page.text();
  expect(text).toContain("Unexpected Application Error!");
  expect(text).toContain("Nothing you saved is lost.");
  const redeemed = await postForm(server, "/subscription", { form: "promo", code: "WELCOME" }, user?.cookie);
  expect(redeemed.status).toBe(503);
  const called = await call(server, checkoutOf(server, "price_csv_only_monthly"), user?.cookie);
  expect([called.status, called.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await called.json()).error.status).toMatch(/^unavailable$/i);

  await onCluster(`ALTER DATABASE ${rows[0].name} WITH ALLOW_CONNECTIONS true`);
  await eventually(async () => (await status("/readyz")) === 200, "the server recovers");
  expect(
    (await postForm(server, "/subscription", { form: "promo", code: "WELCOME" }, user?.cookie)).status,
  ).toBe(200);
  expect(server.child.exitCode).toBeNull();
});

test("production behind a TLS proxy: __Host- cookie, HSTS, forms of our origin only, payments off with a reason", async () => {
  const production = await startServer({ NODE_ENV: "production", PUBLIC_ORIGIN: HTTPS });
  const local = `http://127.0.0.1:${production.port}`;
  const send = (headers: Record<string, string>) =>
    fetch(`${local}/register`, {
      method: "POST",
      redirect: "manual",
      headers,
      body: new URLSearchParams({ name: "Ada", email: "ada@example.com", password: "correct horse battery" }),
    });

  expect((await send({ origin: local })).status).toBe(403);
  expect((await send({})).status).toBe(403);
  const response = await send({ origin: HTTPS, "x-forwarded-host": "evil.example" });
  expect([response.status, response.headers.get("location")]).toEqual([303, "/dashboard"]);
  expect(response.headers.get("strict-transport-security")).toContain("max-age=31536000");
  const [cookie = ""] = response.headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-session=/);
  for (const attribute of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"])
    expect(cookie).toContain(attribute);
  expect(cookie).not.toContain("Domain");

  const headers = { cookie: cookie.split(";")[0] ?? "" };
  const plans = await fetch(`${local}/subscription`, { headers });
  expect(await plans.text()).toContain("No subscription plans are currently available.");
  const call = await fetch(`${local}/functions/us-central1/createCheckoutSession`, {
    method: "POST",
    headers: { ...headers, origin: HTTPS, "content-type": "application/json" },
    body: JSON.stringify({
      data: { price: "p", success_url: `${HTTPS}/dashboard`, cancel_url: `${HTTPS}/subscription` },
    }),
  });
  expect(await call.json()).toEqual({
    error: { status: "unavailable", message: "Payments are not set up on this site yet." },
  });
  expect((await fetch(`${local}/sandbox/stripe/control`)).status).toBe(404);
  expect((await fetch(`${local}/webhooks/stripe`, { method: "POST", body: "{}" })).status).toBe(503);
  await production.stop();
});
