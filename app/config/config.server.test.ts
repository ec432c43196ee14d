import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { complaintOf, DATA_DIR, PRODUCTION, read } from "./config.fixture.ts";
import { readBrand, readConfig } from "./config.server.ts";
import { environment } from "./environment.server.ts";
import { plainOrigin, widgetAttributes, widgetId } from "./setting-types.server.ts";

test(".env.example explains every setting there is, and no other", () => {
  const explained = readFileSync(".env.example", "utf8").matchAll(/^#([A-Z_]+)=/gm);
  const names = [...explained].map(([, name]) => name);
  expect(names.toSorted()).toEqual(Object.keys(environment.shape).toSorted());
});

test("a fresh machine needs no setting: sandbox, embedded database, a secret that is kept", () => {
  const dataDir = join(DATA_DIR, "fresh");
  const config = readConfig({ DATA_DIR: dataDir, PORT: "", DATABASE_URL: "" });
  expect(config).toMatchObject({
    port: 3000,
    publicOrigin: "http://localhost:3000",
    database: null,
    ...{
      graceDays: 7,
      limitsTimes: 10,
      hosts: ["127.0.0.1", "::1"],
      isSandboxPublic: false,
      drainSeconds: 0,
    },
    payments: { mode: "sandbox" },
    mail: { mode: "sandbox" },
    metrics: null,
    tracesUrl: null,
    log: { level: "info", sample: 100 },
    handoff: null,
    appCheck: null,
    corsOrigins: [],
    site: { withdrawal: true, mailboxUrl: "/sandbox/mail" },
  });
  expect(existsSync(dataDir), "a command that makes no session makes no folder").toBe(false);
  expect(config.authSecret.length).toBeGreaterThanOrEqual(32);
  expect(readConfig({ DATA_DIR: dataDir }).authSecret).toBe(config.authSecret);
});

test("a build reads the name and the headline, needs no secret and makes none", () => {
  const dataDir = join(DATA_DIR, "of-a-build");
  const env = { NODE_ENV: "production", DATA_DIR: dataDir, PRODUCT_NAME: "Worte", PORT: "seventy" };
  expect(readBrand(env)).toEqual({ product: "Worte", headline: "Your money, in your own words." });
  expect(existsSync(dataDir)).toBe(false);
  expect(() => readBrand({ HEADLINE: "x".repeat(61) })).toThrow("HEADLINE");
});

describe("outside production", () => {
  test.each(["https://own.example", "http://192.168.1.5:3000", "http://localhost.own.example"])(
    "the sandboxes are refused to the world at %s, unless they are meant for it",
    (PUBLIC_ORIGIN) => {
      expect(complaintOf({ PUBLIC_ORIGIN })).toMatch(/^PUBLIC_ORIGIN: .*SANDBOX=public$/);
      expect(complaintOf({ PUBLIC_ORIGIN, NODE_ENV: "test" })).toContain("SANDBOX=public");
      expect(read({ PUBLIC_ORIGIN, SANDBOX: "public" })).toMatchObject({
        hosts: [undefined],
        isSandboxPublic: true,
      });
    },
  );

  test("the sandboxes are public on any address but loopback", () => {
    expect(read({ HOST: "127.0.0.1" }).isSandboxPublic).toBe(false);
    expect(read({ HOST: "0.0.0.0" })).toMatchObject({ hosts: ["0.0.0.0"], isSandboxPublic: true });
  });
});

test.each([
  [{}, 3001],
  [{ PORT: "65535" }, 0],
  [{ PORT: "4000", SANDBOX_STRIPE_PORT: "" }, 4001],
  [{ SANDBOX_STRIPE_PORT: "0" }, 0],
  [{ SANDBOX_STRIPE_PORT: "12111" }, 12111],
])("with %o the Stripe sandbox takes calls of the SDK on port %i", (env, port) => {
  expect(read(env).sandboxStripePort).toBe(port);
});

test.each([
  ["PORT", "seventy", "70000"],
  ["DATABASE_URL", "mysql://localhost"],
  ["DATABASE_OWNER_URL", "mysql://localhost"],
  ["PUBLIC_ORIGIN", "https://own.example/path", "own.example"],
  ["AUTH_SECRET", "short"],
  ["AUTH_SECRET_BEFORE", "short"],
  ["STRIPE_SECRET_KEY", "pk_live_123456", "12345678"],
  ["DRAIN_SECONDS", "-1"],
  ["EMBEDDED_DATABASE", "maybe"],
  ["SANDBOX", "everybody"],
  ["SANDBOX_STRIPE_PORT", "-1"],
  ["TRUSTED_PROXIES", "10.0.0.0/8, localhost"],
  ["NODE_ENV", "prod"],
  ["SCRYPT_LN", "0"],
  ["SMTP_URL", "https://smtp.example.com", "smtp.example.com"],
  ["MAIL_FROM", "Own Words", "a@own.example, b@own.example"],
  ["CORS_ORIGINS", "https://a.example,b.example", "*"],
  ["AUTHORIZED_DOMAINS", "https://own.example", "own.example:443", "own.example/path"],
  ["PROJECT_ID", "Own Words"],
  ["AUTH_TOKEN_SYNC_URL", "/session"],
  ["BANK_COUNTRIES", "USA", "US,ZZ", ","],
  ["REPLY_DAYS", "0"],
  ["WITHDRAWAL", "maybe"],
  ["STRIPE_TAX", "yes", "8.5"],
  ["GRACE_DAYS", "61", "-1", "1.5"],
  ["LOG_SAMPLE", "0"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://localhost:4317"],
])("%s is refused by name", (variable, ...values) => {
  for (const value of values)
    expect(complaintOf({ [variable]: value })).toMatch(new RegExp(`^${variable}\\b`));
});

test.each([
  "postgres://u:p@a:5432,b:5433/site?target_session_attrs=read-write",
  "postgres://u:p@a,b/site",
  "postgres:///site?host=a%2Cb&port=1,2",
])("a database’s URL with several hosts, %s, is refused with what to name instead", (url) => {
  expect(complaintOf({ DATABASE_URL: url })).toMatch(/^DATABASE_URL: must name one host/);
  expect(read({ DATABASE_URL: "postgres://u:p,q@localhost/site?options=-c,d" }).database).not.toBeNull();
});

test("the secret before opens what was made earlier, and is another", () => {
  const [AUTH_SECRET, AUTH_SECRET_BEFORE] = ["n".repeat(32), "b".repeat(32)];
  expect(read({ AUTH_SECRET, AUTH_SECRET_BEFORE })).toMatchObject({
    authSecret: AUTH_SECRET,
    authSecrets: [AUTH_SECRET, AUTH_SECRET_BEFORE],
  });
  expect(read({ AUTH_SECRET }).authSecrets).toEqual([AUTH_SECRET]);
  expect(complaintOf({ AUTH_SECRET, AUTH_SECRET_BEFORE: AUTH_SECRET })).toMatch(
    /^AUTH_SECRET_BEFORE: .*is the same$/,
  );
});

test("what a setting says is taken over", () => {
  expect(read({ GRACE_DAYS: "0", LIMITS_TIMES: "1", WITHDRAWAL: "off" })).toMatchObject({
    graceDays: 0,
    limitsTimes: 1,
    site: { withdrawal: false, plusTax: "" },
  });
  expect(read({ STRIPE_TAX: "on" }).site.plusTax).toBe(", plus tax where it applies");
  expect(read({ METRICS_PORT: "9464" }).metrics).toEqual({ port: 9464, host: "127.0.0.1" });
  expect(read({ METRICS_PORT: "9464", METRICS_HOST: "10.0.0.5" }).metrics?.host).toBe("10.0.0.5");
  for (const endpoint of ["http://localhost:4318", "http://localhost:4318/"])
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).tracesUrl).toBe("http://localhost:4318/v1/traces");
  expect(read({ NODE_ENV: "test" }).log.isPretty).toBe(false);
  expect(read({ LOG_FORMAT: "pretty" }).log.isPretty).toBe(true);
  expect(read({ PRODUCT_NAME: " Wörter & mehr " }).projectId).toBe("worter-mehr");
});

test("the owner of the tables is another role than the site, or the same without being named", () => {
  const [siteUrl, ownerUrl] = ["postgres://site@localhost/site", "postgres://owner@localhost/site"];
  const database = (DATABASE_URL: string, DATABASE_OWNER_URL: string) =>
    read({ DATABASE_URL, DATABASE_OWNER_URL }).database;
  expect(database(siteUrl, ownerUrl)).toEqual({ siteUrl, ownerUrl });
  expect(database(siteUrl, "")).toEqual({ siteUrl, ownerUrl: siteUrl });
  for (const url of ["", ownerUrl, "postgres://localhost/site"])
    expect(() => database(url, ownerUrl)).toThrow(/^DATABASE_URL: must/);
});

test.each([
  ["STRIPE_SECRET_KEY", "sk_test_123", "STRIPE_WEBHOOK_SECRET"],
  ["STRIPE_WEBHOOK_SECRET", "whsec_123", "STRIPE_SECRET_KEY"],
  ["GOOGLE_CLIENT_ID", "x", "GOOGLE_CLIENT_SECRET"],
  ["GOOGLE_CLIENT_SECRET", "x", "GOOGLE_CLIENT_ID"],
  ["FACEBOOK_CLIENT_ID", "x", "FACEBOOK_CLIENT_SECRET"],
  ["FACEBOOK_CLIENT_SECRET", "x", "FACEBOOK_CLIENT_ID"],
  ["HOSTED_APP_JWKS_URL", "https://app.example/jwks", "HOSTED_APP_URL"],
  ["APP_CHECK_JWKS_URL", "https://check.example/jwks", "APP_CHECK_ISSUER"],
  ["APP_CHECK_ISSUER", "https://check.example/1", "APP_CHECK_JWKS_URL"],
  ["APP_CHECK_AUDIENCE", "projects/1", "APP_CHECK_JWKS_URL"],
])("%s alone is refused, naming what is missing", (set, value, missing) => {
  expect(complaintOf({ [set]: value })).toContain(`${missing}: must be set, because ${set} is`);
});

test("the port of the metrics cannot be the site's own", () => {
  expect(complaintOf({ METRICS_PORT: "3000" })).toContain("METRICS_PORT: must not be PORT");
});

test("signing in at a provider is the sandbox's without keys, and in production off with the reason", () => {
  const GOOGLE = { GOOGLE_CLIENT_ID: "id.apps.example", GOOGLE_CLIENT_SECRET: "secret" };
  expect(read(GOOGLE).providers).toMatchObject({
    google: { mode: "real", clientId: "id.apps.example" },
    facebook: { mode: "sandbox" },
  });
  expect(read({ ...PRODUCTION, ...GOOGLE }).providers).toEqual({
    google: { mode: "real", clientId: "id.apps.example", clientSecret: "secret" },
    facebook: { mode: "off", reason: "FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET are not set" },
  });
});

test("sign-ins with a provider begin at the public origin's name, or at those that are named", () => {
  const domains = (env: Record<string, string>) => read(env).authorizedDomains;
  expect(domains(PRODUCTION)).toEqual(["own.example"]);
  const demonstration = { SANDBOX: "public", PUBLIC_ORIGIN: "http://own.test:3000" };
  expect(domains(demonstration)).toEqual(["own.test", "localhost"]);
  const named = { ...PRODUCTION, AUTHORIZED_DOMAINS: "own.example, WWW.own.example" };
  expect(domains(named)).toEqual(["own.example", "www.own.example"]);
});

test("no proxy is trusted until one is named", () => {
  const count = (list?: string) => read({ TRUSTED_PROXIES: list }).trustedProxies.length;
  expect([undefined, "", "127.0.0.1", " loopback,10.0.0.0/8, "].map(count)).toEqual([0, 0, 1, 3]);
  expect(() => count("10.0.0.0/8, 10.0.0.0/99")).toThrow('"10.0.0.0/99" must be an address');
});

test("other origins are written with commas", () => {
  expect(read({ CORS_ORIGINS: " https://a.example, ,http://b.example:81 " }).corsOrigins).toEqual([
    "https://a.example",
    "http://b.example:81",
  ]);
});

describe("mail", () => {
  const SMTP_URL = "smtps://user:secret%40word@smtp.example.com";

  test("goes to the sandbox, where it can be read, from the support address, until a server is set", () => {
    const SUPPORT_EMAIL = "help@own.example";
    expect(read({ SUPPORT_EMAIL }).mail).toEqual({ mode: "sandbox", from: SUPPORT_EMAIL });
    const config = read({ SUPPORT_EMAIL, SMTP_URL, MAIL_FROM: "hello@own.example" });
    expect(config.mail).toEqual({ mode: "smtp", url: SMTP_URL, from: "hello@own.example" });
    expect(config.site.mailboxUrl).toBeNull();
  });

  test("in production without a server it is off, and the sandbox never stands in", () => {
    expect(read({ ...PRODUCTION, SMTP_URL }).mail).toMatchObject({ mode: "smtp" });
    expect(read(PRODUCTION).mail).toEqual({ mode: "off", reason: "SMTP_URL is not set" });
    expect(read(PRODUCTION).site.mailboxUrl).toBeNull();
  });

  test("a server address that is refused is not repeated: it holds a password", () => {
    expect(complaintOf({ SMTP_URL: "http://user:secret@smtp.example.com" })).toMatch(
      /^(?=.*SMTP_URL)(?!.*secret)/s,
    );
  });
});

test("a hosted app hands people over when we know its keys, and our tokens are for it", () => {
  const app = { HOSTED_APP_URL: "https://app.own.example/start/" };
  const keys = { HOSTED_APP_JWKS_URL: "https://app.own.example/jwks.json" };
  expect(read().tokenAudience).toBe("http://localhost:3000");
  expect(read(app)).toMatchObject({ tokenAudience: "https://app.own.example", handoff: null });
  expect(read({ ...app, ...keys }).handoff).toEqual({
    jwksUrl: keys.HOSTED_APP_JWKS_URL,
    issuer: "https://app.own.example",
    audience: "http://localhost:3000",
    origin: "https://app.own.example",
    loginUrl: "https://app.own.example/start/login",
  });
});

test("App Check is for this project unless said otherwise", () => {
  const keys = {
    APP_CHECK_JWKS_URL: "https://check.example/jwks",
    APP_CHECK_ISSUER: "https://check.example/1",
  };
  expect(read({ ...keys, PROJECT_ID: "own" }).appCheck).toEqual({
    jwksUrl: "https://check.example/jwks",
    issuer: "https://check.example/1",
    audience: "projects/own",
  });
  expect(read({ ...keys, APP_CHECK_AUDIENCE: "projects/1" }).appCheck?.audience).toBe("projects/1");
});

describe("a waitlist widget", () => {
  test.each([
    ...["*", "https:", "https://*", "https://*.example.com", "https://a.example/path", "https://a.example/"],
    ...["https://a.example;script-src *", "https://a.example 'unsafe-inline'", "https://a.example\r\nX: y"],
    ...[
      "data:",
      "'self'",
      "a.example",
      "https://u@a.example",
      "https://A.example",
      "https://a.example:443",
      "",
    ],
  ])("%j is no host for a policy", (value) => expect(plainOrigin.safeParse(value).success).toBe(false));

  test("an origin with or without a port is one", () => {
    for (const value of ["https://a.example", "https://a.example:8443", "http://127.0.0.1:3000"])
      expect(plainOrigin.parse(value)).toBe(value);
  });

  test("its element has an id, a class and data, and no attribute that runs or styles anything", () => {
    expect(widgetAttributes.parse("class=a+b&data-list_id=1%262")).toEqual({
      class: "a b",
      "data-list_id": "1&2",
    });
    for (const refused of ["onclick=x", "style=x", "id=x", "dangerouslySetInnerHTML=x", "data-=x", "href=x"])
      expect(widgetAttributes.safeParse(refused).success, refused).toBe(false);
    expect(widgetId.safeParse("getWaitlist-1").success).toBe(true);
    for (const refused of ["", "1", "a b", 'a"b'])
      expect(widgetId.safeParse(refused).success, refused).toBe(false);
  });
});
