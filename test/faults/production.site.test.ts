import { expect, test } from "vitest";
import { startServer } from "../server.ts";

const HTTPS = "https://own.example";

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

  const paths = ["/", "/login", "/nowhere", "/robots.txt", "/favicon.ico", "/v1/projects", "/healthz", "//"];
  for (const path of paths) {
    const { headers } = await fetch(local + path, { redirect: "manual" });
    expect(Object.fromEntries(headers), path).toMatchObject({
      "strict-transport-security": "max-age=31536000; includeSubDomains",
      "x-content-type-options": "nosniff",
      // A file of the build weighs no more than it has to.
      ...(path !== "/favicon.ico" && {
        "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
      }),
    });
  }

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
    error: { status: "UNIMPLEMENTED", message: "Payments aren’t set up on this site yet." },
  });
  expect((await fetch(`${local}/sandbox/stripe/control`)).status).toBe(404);
  expect((await fetch(`${local}/webhooks/stripe`, { method: "POST", body: "{}" })).status).toBe(503);
  await production.stop();
});
