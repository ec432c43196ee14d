import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBrand, readConfig } from "./config.server.ts";

const DATA_DIR = mkdtempSync(join(tmpdir(), "config-"));
const PRODUCTION = {
  NODE_ENV: "production",
  PUBLIC_ORIGIN: "https://own.example",
  AUTH_SECRET: "a secret of at least thirty-two characters",
  DATABASE_URL: "postgres://localhost/site",
  DATA_DIR,
};

describe("a fresh machine", () => {
  test("needs no setting: sandbox, embedded database, a secret that is kept", () => {
    const config = readConfig({ DATA_DIR });
    expect(config).toMatchObject({ port: 3000, publicOrigin: "http://localhost:3000", database: null });
    expect(config.payments.mode).toBe("sandbox");
    expect(config.authSecret.length).toBeGreaterThanOrEqual(32);
    expect(readConfig({ DATA_DIR }).authSecret).toBe(config.authSecret);
  });

  test("a plan outlives a payment that fails by a week, or as long as it is told to", () => {
    expect(readConfig({ DATA_DIR }).graceDays).toBe(7);
    expect(readConfig({ DATA_DIR, GRACE_DAYS: "0" }).graceDays).toBe(0);
  });

  test("limits are ten times wider, or as told; in production they are what they are", () => {
    expect(readConfig({ DATA_DIR }).limitsTimes).toBe(10);
    expect(readConfig({ DATA_DIR, LIMITS_TIMES: "1" }).limitsTimes).toBe(1);
    expect(readConfig(PRODUCTION).limitsTimes).toBe(1);
    expect(() => readConfig({ ...PRODUCTION, LIMITS_TIMES: "2" })).toThrow(/LIMITS_TIMES/);
  });

  test("passwords are not hashed with less work in production", () => {
    expect(() => readConfig({ ...PRODUCTION, SCRYPT_LN: "15" })).toThrow(/SCRYPT_LN/);
    expect(() => readConfig({ DATA_DIR, SCRYPT_LN: "0" })).toThrow(/SCRYPT_LN/);
  });

  test("empty variables count as absent", () => {
    expect(readConfig({ DATA_DIR, PORT: "", DATABASE_URL: "" })).toMatchObject({
      port: 3000,
      database: null,
    });
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

describe("outside production", () => {
  test.each(["https://own.example", "http://192.168.1.5:3000", "http://localhost.own.example"])(
    "the sandboxes are refused to the world at %s, unless they are meant for it",
    (PUBLIC_ORIGIN) => {
      expect(complaintOf({ PUBLIC_ORIGIN })).toMatch(/^PUBLIC_ORIGIN: .*SANDBOX=public$/);
      expect(complaintOf({ PUBLIC_ORIGIN, NODE_ENV: "test" })).toContain("SANDBOX=public");
      const open = readConfig({ DATA_DIR, PUBLIC_ORIGIN, SANDBOX: "public" });
      expect(open).toMatchObject({ hosts: [undefined], isSandboxPublic: true });
    },
  );

  test("nobody but this machine is listened for, unless told otherwise", () => {
    expect(readConfig({ DATA_DIR })).toMatchObject({
      hosts: ["127.0.0.1", "::1"],
      isSandboxPublic: false,
      drainSeconds: 0,
    });
    expect(readConfig({ DATA_DIR, HOST: "127.0.0.1" }).isSandboxPublic).toBe(false);
    expect(readConfig({ DATA_DIR, HOST: "0.0.0.0" })).toMatchObject({
      hosts: ["0.0.0.0"],
      isSandboxPublic: true,
    });
  });
});

test.each([
  [{}, 3001],
  [{ PORT: "65535" }, 0],
  [{ PORT: "4000", SANDBOX_STRIPE_PORT: "" }, 4001],
  [{ SANDBOX_STRIPE_PORT: "0" }, 0],
  [{ SANDBOX_STRIPE_PORT: "12111" }, 12111],
])("with %o the Stripe sandbox takes calls of the SDK on port %i", (env, port) => {
  expect(readConfig({ DATA_DIR, ...env }).sandboxStripePort).toBe(port);
});

test.each([
  ["PORT", "seventy"],
  ["PORT", "70000"],
  ["DATABASE_URL", "mysql://localhost"],
  ["DATABASE_OWNER_URL", "mysql://localhost"],
  ["PUBLIC_ORIGIN", "https://own.example/path"],
  ["PUBLIC_ORIGIN", "own.example"],
  ["AUTH_SECRET", "short"],
  ["STRIPE_SECRET_KEY", "pk_live_123456"],
  ["STRIPE_SECRET_KEY", "12345678"],
  ["DRAIN_SECONDS", "-1"],
  ["EMBEDDED_DATABASE", "maybe"],
  ["SANDBOX", "everybody"],
  ["SANDBOX_STRIPE_PORT", "-1"],
  ["TRUSTED_PROXIES", "10.0.0.0/8, localhost"],
  ["NODE_ENV", "prod"],
  ["SMTP_URL", "https://smtp.example.com"],
  ["SMTP_URL", "smtp.example.com"],
  ["MAIL_FROM", "Own Words"],
  ["CORS_ORIGINS", "https://a.example,b.example"],
  ["CORS_ORIGINS", "*"],
  ["AUTHORIZED_DOMAINS", "https://own.example"],
  ["PROJECT_ID", "Own Words"],
  ["AUTH_TOKEN_SYNC_URL", "/session"],
  ["MAIL_FROM", "a@own.example, b@own.example"],
  ["BANK_COUNTRIES", "USA"],
  ["BANK_COUNTRIES", "US,ZZ"],
  ["BANK_COUNTRIES", ","],
  ["REPLY_DAYS", "0"],
  ["WITHDRAWAL", "maybe"],
  ["GRACE_DAYS", "61"],
  ["GRACE_DAYS", "-1"],
  ["GRACE_DAYS", "1.5"],
])("%s=%s is refused by name", (variable, value) => {
  expect(() => readConfig({ DATA_DIR, [variable]: value })).toThrow(variable);
});

test("the owner of the tables is another role than the site, or the same without being named", () => {
  const [siteUrl, ownerUrl] = ["postgres://site@localhost/site", "postgres://owner@localhost/site"];
  const read = (DATABASE_URL: string, DATABASE_OWNER_URL: string) =>
    readConfig({ DATA_DIR, DATABASE_URL, DATABASE_OWNER_URL }).database;
  expect(read(siteUrl, ownerUrl)).toEqual({ siteUrl, ownerUrl });
  expect(read(siteUrl, "")).toEqual({ siteUrl, ownerUrl: siteUrl });
  for (const url of ["", ownerUrl, "postgres://localhost/site"])
    expect(() => read(url, ownerUrl)).toThrow(/^DATABASE_URL: must/);
});

test("consumers can withdraw on the site, unless that is off", () => {
  expect(readConfig({ DATA_DIR }).site.withdrawal).toBe(true);
  expect(readConfig({ DATA_DIR, WITHDRAWAL: "off" }).site.withdrawal).toBe(false);
});

test.each(["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"])(
  "half a set of payment keys (%s) is refused",
  (variable) => {
    expect(() => readConfig({ DATA_DIR, [variable]: "12345678" })).toThrow(/STRIPE_.*must be set/);
  },
);

describe("signing in at a provider", () => {
  const GOOGLE = { GOOGLE_CLIENT_ID: "id.apps.example", GOOGLE_CLIENT_SECRET: "secret" };

  test("is the sandbox's where no keys are set, and in production off with the reason", () => {
    expect(readConfig({ DATA_DIR, ...GOOGLE }).providers).toMatchObject({
      google: { mode: "real", clientId: "id.apps.example" },
      facebook: { mode: "sandbox" },
    });
    expect(readConfig({ ...PRODUCTION, ...GOOGLE }).providers).toEqual({
      google: { mode: "real", clientId: "id.apps.example", clientSecret: "secret" },
      facebook: { mode: "off", reason: "FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET are not set" },
    });
  });

  test.each([
    ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
    ["GOOGLE_CLIENT_SECRET", "GOOGLE_CLIENT_ID"],
    ["FACEBOOK_CLIENT_ID", "FACEBOOK_CLIENT_SECRET"],
    ["FACEBOOK_CLIENT_SECRET", "FACEBOOK_CLIENT_ID"],
  ])("%s alone is refused, naming %s", (set, missing) => {
    expect(() => readConfig({ DATA_DIR, [set]: "x" })).toThrow(`${missing}: must be set`);
  });

  test("begins at the public origin's name, or at those that are named", () => {
    expect(readConfig(PRODUCTION).authorizedDomains).toEqual(["own.example"]);
    const demonstration = { SANDBOX: "public", PUBLIC_ORIGIN: "http://own.test:3000" };
    expect(readConfig({ DATA_DIR, ...demonstration }).authorizedDomains).toEqual(["own.test", "localhost"]);
    const AUTHORIZED_DOMAINS = "own.example, WWW.own.example";
    expect(readConfig({ ...PRODUCTION, AUTHORIZED_DOMAINS }).authorizedDomains).toEqual([
      "own.example",
      "www.own.example",
    ]);
  });

  test.each(["https://own.example", "own.example:443", "own.example/path"])(
    "AUTHORIZED_DOMAINS=%s is refused by name",
    (AUTHORIZED_DOMAINS) => {
      expect(() => readConfig({ DATA_DIR, AUTHORIZED_DOMAINS })).toThrow("AUTHORIZED_DOMAINS");
    },
  );
});

test("what makes no session makes no secret and no folder", () => {
  const dataDir = join(DATA_DIR, "of-a-command");
  const config = readConfig({ DATA_DIR: dataDir });
  expect(existsSync(dataDir)).toBe(false);
  expect(config.authSecret).toBe(config.authSecret);
  expect(existsSync(dataDir)).toBe(true);
});

test("a build reads the name and the headline, needs no secret and makes none", () => {
  const dataDir = join(DATA_DIR, "of-a-build");
  const env = { NODE_ENV: "production", DATA_DIR: dataDir, PRODUCT_NAME: "Worte", PORT: "seventy" };
  expect(readBrand(env)).toEqual({ product: "Worte", headline: "Your money, in your own words." });
  expect(existsSync(dataDir)).toBe(false);
  expect(() => readBrand({ HEADLINE: "x".repeat(61) })).toThrow("HEADLINE");
});

test("nobody is a trusted proxy until somebody is named", () => {
  const count = (list?: string) => readConfig({ DATA_DIR, TRUSTED_PROXIES: list }).trustedProxies.length;
  expect([undefined, "", "127.0.0.1", " loopback,10.0.0.0/8, "].map(count)).toEqual([0, 0, 1, 3]);
  expect(() => count("10.0.0.0/8, 10.0.0.0/99")).toThrow('"10.0.0.0/99" must be an address');
});

describe("mail", () => {
  const server = { SMTP_URL: "smtps://user:secret%40word@smtp.example.com" };

  test("goes to the sandbox, from the support address, until a server is set", () => {
    expect(readConfig({ DATA_DIR, SUPPORT_EMAIL: "help@own.example" }).mail).toEqual({
      mode: "sandbox",
      from: "help@own.example",
    });
  });

  test("can be read on the site in the sandbox alone", () => {
    expect(readConfig({ DATA_DIR }).site.mailboxUrl).toBe("/sandbox/mail");
    expect(readConfig({ DATA_DIR, ...server }).site.mailboxUrl).toBeNull();
    expect(readConfig(PRODUCTION).site.mailboxUrl).toBeNull();
  });

  test("goes to the server that is set, from the address that is set", () => {
    expect(readConfig({ DATA_DIR, ...server, MAIL_FROM: "hello@own.example" }).mail).toEqual({
      mode: "smtp",
      url: server.SMTP_URL,
      from: "hello@own.example",
    });
    expect(readConfig({ ...PRODUCTION, ...server }).mail).toMatchObject({ mode: "smtp" });
  });

  test("in production without a server it is off, and the sandbox never stands in", () => {
    expect(readConfig(PRODUCTION).mail).toEqual({ mode: "off", reason: "SMTP_URL is not set" });
  });

  test("a server address that is refused is not repeated: it holds a password", () => {
    const SMTP_URL = "http://user:secret@smtp.example.com";
    expect(() => readConfig({ DATA_DIR, SMTP_URL })).toThrow(/^(?=.*SMTP_URL)(?!.*secret)/s);
  });
});

describe("a hosted app", () => {
  const app = { HOSTED_APP_URL: "https://app.own.example/start/" };
  const jwks = { HOSTED_APP_JWKS_URL: "https://app.own.example/jwks.json" };

  test("is whom our tokens are for; without one they are for ourselves", () => {
    expect(readConfig({ DATA_DIR, ...app }).tokenAudience).toBe("https://app.own.example");
    expect(readConfig({ DATA_DIR }).tokenAudience).toBe("http://localhost:3000");
  });

  test("hands people over only when we know its keys, and where it is", () => {
    expect(readConfig({ DATA_DIR, ...app }).handoff).toBeNull();
    expect(() => readConfig({ DATA_DIR, ...jwks })).toThrow("HOSTED_APP_URL: must be set");
    expect(readConfig({ DATA_DIR, ...app, ...jwks }).handoff).toEqual({
      jwksUrl: jwks.HOSTED_APP_JWKS_URL,
      issuer: "https://app.own.example",
      audience: "http://localhost:3000",
      origin: "https://app.own.example",
      loginUrl: "https://app.own.example/start/login",
    });
  });

  test.each(["HOSTED_APP_JWKS_URL", "AUTH_TOKEN_SYNC_URL", "APP_CHECK_JWKS_URL"])(
    "in production %s is https",
    (variable) => {
      const url = "http://app.own.example/x";
      expect(() => readConfig({ ...PRODUCTION, ...app, [variable]: url })).toThrow(`${variable}: must start`);
    },
  );
});

test("lists are written with commas; the defaults are this very site", () => {
  expect(
    readConfig({ DATA_DIR, CORS_ORIGINS: " https://a.example, ,http://b.example:81 " }).corsOrigins,
  ).toEqual(["https://a.example", "http://b.example:81"]);
  expect(readConfig({ DATA_DIR }).corsOrigins).toEqual([]);
  expect(readConfig({ DATA_DIR, AUTHORIZED_DOMAINS: "a.example,b.example" }).authorizedDomains).toEqual([
    "a.example",
    "b.example",
  ]);
  const demonstration = { SANDBOX: "public", PUBLIC_ORIGIN: "https://own.example" };
  expect(readConfig({ DATA_DIR, ...demonstration }).authorizedDomains).toEqual(["own.example", "localhost"]);
  expect(readConfig(PRODUCTION).authorizedDomains).toEqual(["own.example"]);
  expect(readConfig({ DATA_DIR, PRODUCT_NAME: " Wörter & mehr " }).projectId).toBe("worter-mehr");
});
