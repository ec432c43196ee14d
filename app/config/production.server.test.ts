import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "./config.server.ts";

const DATA_DIR = mkdtempSync(join(tmpdir(), "config-"));
const PRODUCTION = {
  NODE_ENV: "production",
  PUBLIC_ORIGIN: "https://own.example",
  AUTH_SECRET: "a secret of at least thirty-two characters",
  DATABASE_URL: "postgres://localhost/site",
  DATA_DIR,
};

test("live payments need production: everywhere else anybody may be anybody, and read all mail", () => {
  const keys = { STRIPE_WEBHOOK_SECRET: "whsec_123", DATA_DIR };
  for (const STRIPE_SECRET_KEY of ["sk_live_123456", "rk_live_123456", "sk_org_live_123456"])
    expect(() => readConfig({ ...keys, STRIPE_SECRET_KEY })).toThrow("STRIPE_SECRET_KEY");
  expect(readConfig({ ...keys, STRIPE_SECRET_KEY: "sk_test_123456" }).payments.mode).toBe("stripe");
});

describe("production", () => {
  test("without payment keys payments are off, and the sandbox never stands in", () => {
    expect(readConfig(PRODUCTION).payments).toMatchObject({
      mode: "off",
      reason: expect.stringContaining("STRIPE"),
    });
  });

  test("with both keys it pays for real", () => {
    const keys = { STRIPE_SECRET_KEY: "sk_live_123", STRIPE_WEBHOOK_SECRET: "whsec_123" };
    expect(readConfig({ ...PRODUCTION, ...keys }).payments.mode).toBe("stripe");
  });

  test.each(["PUBLIC_ORIGIN", "AUTH_SECRET", "DATABASE_URL"])(
    "without %s it refuses to boot and names it",
    (variable) => {
      expect(() => readConfig({ ...PRODUCTION, [variable]: "" })).toThrow(`${variable}: must be set`);
    },
  );

  test("keeps its data on this machine only when told to", () => {
    const embedded = { ...PRODUCTION, DATABASE_URL: "", EMBEDDED_DATABASE: "on" };
    expect(readConfig(embedded).database).toBeNull();
  });

  test("is https, but for a look from this machine itself", () => {
    for (const PUBLIC_ORIGIN of ["http://own.example", "http://10.0.0.1", "http://localhost.example"])
      expect(() => readConfig({ ...PRODUCTION, PUBLIC_ORIGIN })).toThrow(
        "PUBLIC_ORIGIN: must start with https",
      );
    for (const PUBLIC_ORIGIN of ["http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000"])
      expect(readConfig({ ...PRODUCTION, PUBLIC_ORIGIN })).toMatchObject({ publicOrigin: PUBLIC_ORIGIN });
  });

  test.each([
    ["AUTH_SECRET", " ".repeat(40)],
    ["AUTH_SECRET", "x".repeat(40)],
    ["AUTH_SECRET", `a${" ".repeat(40)}`],
    ["STRIPE_WEBHOOK_SECRET", "        "],
    ["STRIPE_WEBHOOK_SECRET", "00000000"],
    ["GOOGLE_CLIENT_SECRET", "  "],
    ["FACEBOOK_CLIENT_SECRET", "xx"],
  ])("%s=%j is no secret", (variable, value) => {
    expect(() => readConfig({ ...PRODUCTION, [variable]: value })).toThrow(`${variable}: must be a secret`);
  });

  test("listens everywhere, and takes requests for three seconds more after a signal, unless told otherwise", () => {
    expect(readConfig(PRODUCTION)).toMatchObject({ hosts: [undefined], drainSeconds: 3 });
    expect(readConfig({ ...PRODUCTION, HOST: "10.0.0.1", DRAIN_SECONDS: "0" })).toMatchObject({
      hosts: ["10.0.0.1"],
      drainSeconds: 0,
    });
  });

  test("names everything that is wrong at once, each variable on its line", () => {
    const wrong = {
      NODE_ENV: "production",
      PORT: "seventy",
      PUBLIC_ORIGIN: "http://own.example",
      AUTH_SECRET: " ".repeat(40),
      STRIPE_SECRET_KEY: "sk_live_123456",
      GOOGLE_CLIENT_ID: "id",
      HOSTED_APP_JWKS_URL: "http://app.example/keys",
    };
    const named = [...complaintOf(wrong).matchAll(/^\w+(?=: )/gm)].map(String);
    expect(named.sort()).toEqual([
      "AUTH_SECRET",
      "DATABASE_URL",
      "GOOGLE_CLIENT_SECRET",
      "HOSTED_APP_JWKS_URL",
      "HOSTED_APP_URL",
      "PORT",
      "PUBLIC_ORIGIN",
      "STRIPE_WEBHOOK_SECRET",
    ]);
    // What is no NODE_ENV is taken for the one that is strict.
    expect(complaintOf({ NODE_ENV: "prod" })).toMatch(/NODE_ENV(.|\n)*AUTH_SECRET: must be set/);
  });
});

function complaintOf(env: Record<string, string>): string {
  try {
    readConfig({ DATA_DIR, ...env });
  } catch (error) {
    return String(error).replace("ConfigError: ", "");
  }
  return "";
}
