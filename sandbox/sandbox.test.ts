import { createTransport } from "nodemailer";
import { Pool } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openSandboxes, type Sandboxes, type SandboxOptions } from "./sandbox.ts";
import { createDatabase } from "./testing/database.ts";

const ORIGINS = { publicOrigin: "http://localhost:3999", loopback: "http://127.0.0.1:3999" };
const STRIPE = {
  secretKey: "sk_test_sandbox",
  webhookSecret: "whsec_sandbox",
  webhookUrl: `${ORIGINS.loopback}/webhooks/stripe`,
  port: 0,
  plans: [],
};
const google = { clientId: "sandbox-google", clientSecret: "secret" };

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: Pool;
let sandboxes: Sandboxes;

beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url });
});
afterEach(() => sandboxes.close());
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function open(services: Partial<SandboxOptions>): Promise<Sandboxes> {
  const ending = new AbortController().signal;
  sandboxes = await openSandboxes({ pool, ...ORIGINS, ending, log: () => {}, ...services });
  return sandboxes;
}

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const { status } = await sandboxes.handle(new Request(ORIGINS.publicOrigin + path, { headers }));
  return status;
}

test("while the database is away each answers 503, and Stripe's SDK does not try again by itself", async () => {
  const lost = new Pool({ connectionString: database.url });
  const { stripeOrigin } = await open({ pool: lost, stripe: STRIPE, clients: { google }, mail: { port: 0 } });
  await lost.end();
  expect(await statusOf("/sandbox/mail")).toBe(503);
  expect(await statusOf("/sandbox/stripe/v1/prices")).toBe(503);
  const called = await fetch(`${stripeOrigin}/v1/prices`);
  expect([called.status, called.headers.get("stripe-should-retry")]).toEqual([503, "false"]);
});

test("each service that is asked for is stood in for, with the ids and secrets that are given", async () => {
  const { stripeUrl, stripeOrigin, smtpUrl, identityEndpoints } = await open({
    stripe: STRIPE,
    clients: { google },
    mail: { port: 0 },
  });
  expect(stripeUrl).toBe("http://127.0.0.1:3999/sandbox/stripe");
  expect(stripeOrigin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(smtpUrl).toMatch(/^smtp:\/\/127\.0\.0\.1:\d+$/);
  expect(identityEndpoints?.google).toMatchObject({
    authorizationEndpoint: "http://localhost:3999/sandbox/identity/google/authorize",
    tokenEndpoint: "http://127.0.0.1:3999/sandbox/identity/google/token",
  });
  const path = "/sandbox/stripe/v1/prices";
  expect(sandboxes.answers(`${path}?limit=1`)).toBe(true);
  expect(await statusOf(path, { authorization: "Bearer sk_test_sandbox" })).toBe(200);
  expect(await statusOf(path, { authorization: "Bearer sk_test_other" })).toBe(401);
  expect((await fetch(`${stripeOrigin}/v1/prices`)).status).toBe(401);
  expect(await statusOf("/sandbox/mail")).toBe(200);
  expect(await statusOf("/sandbox/identity/google/jwks")).toBe(200);
  for (const path of ["/", "/pricing", "/sandbox", "/sandbox/", "/sandbox/other", "/webhooks/stripe"]) {
    expect([path, sandboxes.answers(path)]).toEqual([path, false]);
    expect([path, await statusOf(path)]).toEqual([path, 404]);
  }
});

test("a service that is left out has no stand-in", async () => {
  expect(await open({})).toMatchObject({
    stripeUrl: null,
    stripeOrigin: null,
    smtpUrl: null,
    identityEndpoints: null,
  });
  for (const path of ["/sandbox/stripe/v1/prices", "/sandbox/mail", "/sandbox/identity/google/authorize"])
    expect([path, sandboxes.answers(path)]).toEqual([path, false]);
});

test("a provider that the sandbox does not stand in for has no sign-in", async () => {
  await open({ clients: { google } });
  const authorize = (provider: string, client: string) =>
    statusOf(
      `/sandbox/identity/${provider}?${new URLSearchParams({
        client_id: client,
        redirect_uri: `${ORIGINS.publicOrigin}/auth/callback/x`,
      })}`,
    );
  expect(await authorize("facebook/dialog/oauth", "sandbox-facebook")).toBe(401);
  expect(await authorize("google/authorize", "real-google")).toBe(401);
});

test("closed, it takes no more mail and no calls of Stripe's SDK", async () => {
  const { smtpUrl, stripeOrigin } = await open({ stripe: STRIPE, mail: { port: 0 } });
  const mail = { from: "a@own.example", to: "ada@example.com", subject: "Hello", text: "Hello" };
  await createTransport(smtpUrl ?? "").sendMail(mail);
  await sandboxes.close();
  await expect(fetch(`${stripeOrigin}/v1/prices`)).rejects.toThrow("fetch failed");
  await expect(createTransport(smtpUrl ?? "").sendMail(mail)).rejects.toThrow("ECONNREFUSED");
});
