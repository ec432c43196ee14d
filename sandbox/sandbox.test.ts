import { createTransport } from "nodemailer";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { readConfig } from "../app/config/config.server.ts";
import { createLog } from "../app/log/log.server.ts";
import { openDatabase } from "../test/database.ts";
import { openSandboxes, type Sandboxes } from "./sandbox.ts";

const KEYS = {
  STRIPE_SECRET_KEY: "sk_test_real",
  STRIPE_WEBHOOK_SECRET: "whsec_real",
  SMTP_URL: "smtp://mail.example:2525",
  GOOGLE_CLIENT_ID: "real-google",
  GOOGLE_CLIENT_SECRET: "real-secret",
};

let database: Awaited<ReturnType<typeof openDatabase>>;
let sandboxes: Sandboxes;

beforeAll(async () => {
  database = await openDatabase();
});
afterEach(() => sandboxes.close());
afterAll(() => database.close());

async function open(env: Record<string, string>): Promise<Sandboxes> {
  const config = readConfig({ PORT: "3999", SANDBOX_STRIPE_PORT: "0", ...env });
  const ending = new AbortController().signal;
  sandboxes = await openSandboxes({ config, pool: database.pool, log: createLog("silent"), ending });
  return sandboxes;
}

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const { status } = await sandboxes.handle(new Request(`http://localhost:3999${path}`, { headers }));
  return status;
}

test("without keys all services are stood in for, with the ids and secrets of the config", async () => {
  const { stripeUrl, stripeOrigin, smtpUrl, identityEndpoints } = await open({});
  expect(stripeUrl).toBe("http://127.0.0.1:3999/sandbox/stripe");
  expect(stripeOrigin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(smtpUrl).toMatch(/^smtp:\/\/127\.0\.0\.1:\d+$/);
  expect(identityEndpoints?.google).toMatchObject({
    authorizationEndpoint: "http://localhost:3999/sandbox/identity/google/authorize",
    tokenEndpoint: "http://127.0.0.1:3999/sandbox/identity/google/token",
  });

  const { payments } = readConfig({});
  if (payments.mode !== "sandbox") throw new Error("payments are not in the sandbox");
  const path = "/sandbox/stripe/v1/prices";
  expect(sandboxes.answers(`${path}?limit=1`)).toBe(true);
  expect(await statusOf(path, { authorization: `Bearer ${payments.secretKey}` })).toBe(200);
  expect(await statusOf(path, { authorization: "Bearer sk_test_other" })).toBe(401);
  expect((await fetch(`${stripeOrigin}/v1/prices`)).status).toBe(401);
  expect(await statusOf("/sandbox/mail")).toBe(200);
  expect(await statusOf("/sandbox/identity/google/jwks")).toBe(200);
});

test.each(["/", "/pricing", "/sandbox", "/sandbox/", "/sandbox/other", "/webhooks/stripe"])(
  "%s is declined",
  async (path) => {
    await open({});
    expect(sandboxes.answers(path)).toBe(false);
    expect(await statusOf(path)).toBe(404);
  },
);

test("a service with keys has no stand-in, and nobody can sign in at one that would be Google", async () => {
  const { stripeUrl, stripeOrigin, smtpUrl } = await open(KEYS);
  expect([stripeUrl, stripeOrigin, smtpUrl]).toEqual([null, null, null]);
  expect(["/sandbox/stripe/v1/prices", "/sandbox/mail"].filter(sandboxes.answers)).toEqual([]);
  for (const [client, status] of [
    ["real-google", 401],
    ["sandbox-google", 401],
  ] as const) {
    const query = new URLSearchParams({
      client_id: client,
      redirect_uri: "http://localhost:3999/auth/callback/google",
    });
    expect(await statusOf(`/sandbox/identity/google/authorize?${query}`)).toBe(status);
  }
  const query = new URLSearchParams({
    client_id: "sandbox-facebook",
    redirect_uri: "http://localhost:3999/auth/callback/facebook",
  });
  expect(await statusOf(`/sandbox/identity/facebook/dialog/oauth?${query}`)).toBe(200);
});

test("with keys for both providers there is no identity sandbox", async () => {
  const { identityEndpoints } = await open({
    ...KEYS,
    FACEBOOK_CLIENT_ID: "real-facebook",
    FACEBOOK_CLIENT_SECRET: "real-secret",
  });
  expect(identityEndpoints).toBeNull();
  expect(sandboxes.answers("/sandbox/identity/google/authorize")).toBe(false);
});

test.each([
  ["0.0.0.0", "http://127.0.0.1:3999/sandbox/stripe"],
  ["::1", "http://[::1]:3999/sandbox/stripe"],
  ["192.0.2.7", "http://192.0.2.7:3999/sandbox/stripe"],
])("listening on %s it is reached at %s", async (HOST, url) => {
  expect((await open({ HOST, SANDBOX: "public" })).stripeUrl).toBe(url);
});

test("closed, it takes no more mail and no calls of Stripe's SDK", async () => {
  const { smtpUrl, stripeOrigin } = await open({});
  const mail = { from: "a@own.example", to: "ada@example.com", subject: "Hello", text: "Hello" };
  await createTransport(smtpUrl ?? "").sendMail(mail);
  await sandboxes.close();
  await expect(fetch(`${stripeOrigin}/v1/prices`)).rejects.toThrow("fetch failed");
  await expect(createTransport(smtpUrl ?? "").sendMail(mail)).rejects.toThrow("ECONNREFUSED");
});
