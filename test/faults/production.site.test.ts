import { expect, test } from "vitest";
import { PUBLIC_PAGES } from "../../app/marketing/pages.ts";
import { eventually } from "../http.ts";
import { setupServer } from "../server.fixture.ts";

const HTTPS = "https://own.test";

const server = setupServer({ NODE_ENV: "production", PUBLIC_ORIGIN: HTTPS });

const read = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);

test("production behind a TLS proxy: __Host- cookie, HSTS, forms of our origin only, payments off with a reason", async () => {
  const local = `http://127.0.0.1:${server.port}`;
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
  expect([call.status, await call.json()]).toEqual([
    501,
    { error: { status: "UNIMPLEMENTED", message: "Payments aren’t set up on this site yet." } },
  ]);
  expect((await fetch(`${local}/sandbox/stripe/control`)).status).toBe(404);
  expect((await fetch(`${local}/webhooks/stripe`, { method: "POST", body: "{}" })).status).toBe(503);
});

test("what is not set is left out, everywhere", async () => {
  const paths = [
    "/contact/sent",
    "/llms.txt",
    "/.well-known/security.txt",
    "/login",
    "/forgot-password/sent",
  ];
  for (const path of [...PUBLIC_PAGES.map(({ path }) => path), ...paths]) {
    const page = await (await read(path)).text();
    // What React starts with may be null; it shows what the page does.
    const shown = page.replaceAll(/<script nonce=.*?<\/script>/gs, "");
    const found = [
      ...(page.match(/\S*\.example\S*|mailto:\S*/g) ?? []),
      ...(shown.match(/\bnull\b|\bundefined\b|href=""/g) ?? []),
    ];
    expect([path, found.filter((each) => !/^"?name@/.test(each))]).toEqual([path, []]);
  }
  const textOf = async (path: string) => (await (await read(path)).text()).replaceAll("<!-- -->", "");
  expect(await textOf("/.well-known/security.txt")).toContain("Contact: https://own.test/contact\n");
  expect(await textOf("/pricing")).toContain("Not on sale yet");
  expect(await textOf("/terms")).toContain("The desktop app isn’t on sale yet.");
});

test("without keys of providers none is named", async () => {
  const page = await read("/forgot-password/sent");
  expect(page.status).toBe(200);
  expect(await page.text()).not.toContain("If you signed up with");
});

test("without SMTP_URL it shows no mailbox, and what it has to send waits", async () => {
  const mail = { to: "eve@example.com", subject: "Hello", text: "Text", html: "<p>Text</p>" };
  await server.pool.query("INSERT INTO outbox (kind, payload) VALUES ('send_mail', $1)", [mail]);
  const job = await eventually(async () => {
    const { rows } = await server.pool.query(
      "SELECT done_at, last_error, payload FROM outbox WHERE last_error IS NOT NULL AND payload->>'subject' = 'Hello'",
    );
    return rows[0];
  }, "the job was tried");
  expect(job).toEqual({ done_at: null, last_error: "Error: mail is off", payload: mail });
  expect((await read("/readyz")).status).toBe(200);
  for (const path of ["/sandbox/mail", "/sandbox/mail.json"]) expect((await read(path)).status).toBe(404);
});
