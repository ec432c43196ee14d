import { expect, test } from "vitest";
import { readConfig } from "./config/config.server.ts";
import { sandboxOptions } from "./sandbox.server.ts";

const KEYS = {
  STRIPE_SECRET_KEY: "sk_test_real",
  STRIPE_WEBHOOK_SECRET: "whsec_real",
  SMTP_URL: "smtp://mail.example:2525",
  GOOGLE_CLIENT_ID: "real-google",
  GOOGLE_CLIENT_SECRET: "real-secret",
};

const optionsFor = (env: Record<string, string>) =>
  sandboxOptions(readConfig({ PORT: "3999", SANDBOX_STRIPE_PORT: "4000", ...env }));

test("without keys every service is stood in for, on this process's own address", () => {
  expect(optionsFor({})).toMatchObject({
    publicOrigin: "http://localhost:3999",
    stripe: { port: 4000, webhookUrl: "http://127.0.0.1:3999/webhooks/stripe" },
    clients: { google: { clientId: "sandbox-google" }, facebook: { clientId: "sandbox-facebook" } },
    mail: { port: 0 },
  });
});

test("a service with keys has no stand-in", () => {
  const { stripe, mail, clients } = optionsFor(KEYS);
  expect([stripe, mail, Object.keys(clients ?? {})]).toEqual([undefined, undefined, ["facebook"]]);
});

test.each([
  ["0.0.0.0", "http://127.0.0.1:3999", []],
  ["::1", "http://[::1]:3999", ["[::1]"]],
  ["192.0.2.7", "http://192.0.2.7:3999", ["192.0.2.7"]],
])("listening on %s it is reached at %s", (HOST, loopback, ownHosts) => {
  expect(optionsFor({ HOST, SANDBOX: "public" })).toMatchObject({ loopback, ownHosts });
});
