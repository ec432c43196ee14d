import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { complaintOf, PRODUCTION, read } from "./config.fixture.ts";
import { isFiller, isRepetitive } from "./guessable-secrets.server.ts";

test("live payments need production: everywhere else anybody may be anybody, and read all mail", () => {
  const STRIPE_WEBHOOK_SECRET = "whsec_123";
  for (const STRIPE_SECRET_KEY of ["sk_live_123456", "rk_live_123456", "sk_org_live_123456"])
    expect(complaintOf({ STRIPE_WEBHOOK_SECRET, STRIPE_SECRET_KEY })).toContain("STRIPE_SECRET_KEY");
  expect(read({ STRIPE_WEBHOOK_SECRET, STRIPE_SECRET_KEY: "sk_test_123456" }).payments.mode).toBe("stripe");
});

describe("production", () => {
  test("without payment keys payments are off, and with both it pays for real", () => {
    const reason = "STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set";
    expect(read(PRODUCTION).payments).toEqual({ mode: "off", reason });
    const keys = { STRIPE_SECRET_KEY: "sk_live_123", STRIPE_WEBHOOK_SECRET: "whsec_123" };
    expect(read({ ...PRODUCTION, ...keys }).payments.mode).toBe("stripe");
  });

  test.each(["PUBLIC_ORIGIN", "AUTH_SECRET", "DATABASE_URL"])(
    "without %s it refuses to boot and names it",
    (variable) => {
      for (const value of ["", undefined])
        expect(complaintOf({ ...PRODUCTION, [variable]: value })).toContain(`${variable}: must be set`);
    },
  );

  test("limits are what they are, and passwords are not hashed with less work", () => {
    expect(read(PRODUCTION).limitsTimes).toBe(1);
    expect(complaintOf({ ...PRODUCTION, LIMITS_TIMES: "2" })).toMatch(/^LIMITS_TIMES/);
    expect(complaintOf({ ...PRODUCTION, SCRYPT_LN: "15" })).toMatch(/^SCRYPT_LN/);
  });

  test("keeps its data on this machine only when told to", () => {
    const embedded = { ...PRODUCTION, DATABASE_URL: "", EMBEDDED_DATABASE: "on" };
    expect(read(embedded).database).toBeNull();
  });

  test("is https, but for a look from this machine itself", () => {
    for (const PUBLIC_ORIGIN of ["http://own.example", "http://10.0.0.1", "http://localhost.example"])
      expect(() => read({ ...PRODUCTION, PUBLIC_ORIGIN })).toThrow("PUBLIC_ORIGIN: must start with https");
    for (const PUBLIC_ORIGIN of ["http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000"])
      expect(read({ ...PRODUCTION, PUBLIC_ORIGIN })).toMatchObject({ publicOrigin: PUBLIC_ORIGIN });
  });

  test.each([
    ["AUTH_SECRET", " ".repeat(40)],
    ["AUTH_SECRET", "x".repeat(40)],
    ["AUTH_SECRET", `a${" ".repeat(40)}`],
    ["STRIPE_WEBHOOK_SECRET", "        "],
    ["STRIPE_WEBHOOK_SECRET", "00000000"],
    ["GOOGLE_CLIENT_SECRET", "  "],
    ["FACEBOOK_CLIENT_SECRET", "xx"],
    ["AUTH_SECRET", "changeme".repeat(4)],
    ["AUTH_SECRET", "passwordpassword1234567890123456"],
    ["AUTH_SECRET", "abcdefghijklmnopqrstuvwxyz012345"],
    ["AUTH_SECRET", "qwertyuiopasdfghjklzxcvbnm123456"],
    ["AUTH_SECRET", "replace-this-with-a-long-random-string"],
    ["AUTH_SECRET", "0123456789abcdef0123456789abcdef"],
    ["BACKUP_KEY", "my-secret-key-my-secret-key-my-secret"],
    ["BACKUP_KEY", "deadbeef".repeat(5)],
    ["STRIPE_WEBHOOK_SECRET", "changeme"],
    ["STRIPE_WEBHOOK_SECRET", "12345678"],
    ["STRIPE_WEBHOOK_SECRET", "whsec_sandbox_only_never_in_production"],
    ["STRIPE_SECRET_KEY", "sk_test_sandbox"],
    ["GOOGLE_CLIENT_SECRET", "sandbox-google-secret"],
    ["FACEBOOK_CLIENT_SECRET", "secretsecretsecret"],
  ])("%s=%s is refused: it is published, or words again and again", (variable, value) => {
    expect(complaintOf({ ...PRODUCTION, [variable]: value })).toMatch(
      new RegExp(`^${variable}: must be a secret.*(openssl|from the service)`, "m"),
    );
  });

  test("a random secret is none of these, whatever it is written in", () => {
    for (const encoding of ["hex", "base64", "base64url"] as const)
      for (let each = 0; each < 2_000; each += 1) {
        const secret = randomBytes(32).toString(encoding);
        expect([secret, isFiller(secret), isRepetitive(secret)]).toEqual([secret, false, false]);
      }
  });

  test.each([
    "0.0.0.0/1, 128.0.0.0/1",
    "0.0.0.0/1",
    "128.0.0.0/2,192.0.0.0/2",
    "loopback, private, 8.0.0.0/7",
    "1.0.0.0/9, 1.128.0.0/9",
    "::ffff:0.0.0.0/97, ::ffff:128.0.0.0/97",
    "::/1, 8000::/1",
    "2000::/3",
    "::/2,4000::/2,8000::/2,c000::/2",
    Array.from({ length: 256 }, (_, at) => `8.${at}.0.0/16`).join(),
  ])("TRUSTED_PROXIES=%s covers the internet", (TRUSTED_PROXIES) => {
    expect(complaintOf({ ...PRODUCTION, TRUSTED_PROXIES })).toMatch(
      /^TRUSTED_PROXIES: must be your own proxies/,
    );
  });

  test("a provider's published networks may be trusted, and one's own", () => {
    const TRUSTED_PROXIES =
      "loopback, private, 104.16.0.0/12, 104.16.0.0/13, 172.64.0.0/13, 2606:4700::/32, 2a06:98c0::/29, fe80::/10, 100.64.0.0/10";
    expect(complaintOf({ ...PRODUCTION, TRUSTED_PROXIES })).toBe("");
  });

  test.each([
    ["WAITLIST_WIDGET_SCRIPT_URL", "http://widget.example/w.js"],
    ["WAITLIST_WIDGET_STYLE_URL", "http://widget.example/w.css"],
    ["WAITLIST_WIDGET_CONNECT_HOSTS", "https://a.example, http://b.example"],
    ["WAITLIST_WIDGET_SCRIPT_HOSTS", "http://b.example"],
    ["CORS_ORIGINS", "https://a.example, http://b.example"],
    ["HOSTED_APP_URL", "http://app.example"],
    ["HOSTED_APP_JWKS_URL", "http://app.example/jwks"],
    ["AUTH_TOKEN_SYNC_URL", "http://app.example/session"],
    ["APP_CHECK_JWKS_URL", "http://app.example/jwks"],
  ])("%s=%s is refused: pages would load it, or be called from it, in plain text", (variable, value) => {
    const script = { WAITLIST_WIDGET_SCRIPT_URL: "https://widget.example/w.js" };
    const complaint = complaintOf({ ...PRODUCTION, ...script, [variable]: value });
    expect(complaint).toContain(`${variable}: must start with https: in production`);
  });

  test("a developer's page on this machine may call a production site", () => {
    const CORS_ORIGINS = "http://localhost:5173, http://127.0.0.1:8080, http://[::1]:3000";
    expect(complaintOf({ ...PRODUCTION, CORS_ORIGINS })).toBe("");
  });

  test.each([
    ["SMTP_URL", "smtp://u:p@mail.example", "mail.example"],
    ["SMTP_URL", "smtp://mail.example?secure=true", "mail.example"],
    ["SMTP_URL", "smtp://mail.example?requireTLS=true&ignoreTLS=true", "mail.example"],
    ["DATABASE_URL", "postgres://u:p@db.example/site", "db.example"],
    ["DATABASE_URL", "postgres://u:p@localhost/site?host=db.example", "db.example"],
    ["DATABASE_URL", "postgres://u:p@db.example/site?sslmode=prefer", "db.example"],
    ["DATABASE_URL", "postgres://u:p@db.example/site?sslmode=require&sslmode=disable", "db.example"],
    ["DATABASE_URL", "postgres://u:p@db.example/site?sslmode=no-verify", "db.example"],
    ["SMTP_URL", "smtps://u:p@mail.example?tls.rejectUnauthorized=false", "mail.example"],
    ["DATABASE_URL", "postgres://u:p@[fd00::1]/site", "fd00::1"],
  ])("%s=%s is plain text to another machine, which a setting allows", (variable, url, host) => {
    const complaint = complaintOf({ ...PRODUCTION, [variable]: url });
    expect(complaint).toMatch(new RegExp(`^${variable}: sends .* to ${host} without encryption`));
    expect(complaintOf({ ...PRODUCTION, [variable]: url, UNENCRYPTED_HOSTS: `other, ${host}` })).toBe("");
  });

  test.each([
    ["SMTP_URL", "smtps://u:p@mail.example"],
    ["SMTP_URL", "smtp://u:p@mail.example?requireTLS=true"],
    ["SMTP_URL", "smtp://127.0.0.1:1025"],
    ["DATABASE_URL", "postgres://u:p@db.example/site?sslmode=verify-full"],
    ["DATABASE_URL", "postgres://u:p@db.example/site?ssl=true"],
    ["DATABASE_URL", "postgres://u@%2Fvar%2Frun%2Fpostgresql/site"],
    ["DATABASE_URL", "postgres:///site?host=/var/run/postgresql"],
  ])("%s=%s is encrypted, or stays on this machine", (variable, url) => {
    expect(complaintOf({ ...PRODUCTION, [variable]: url })).toBe("");
  });

  test.each([
    ["DATABASE_URL", "postgres://site:PASSWORD@db.example/site?sslmode=verify-full"],
    ["SMTP_URL", "smtps://user:password@smtp.example.com"],
  ])("%s=%s has the password of the example", (variable, url) => {
    expect(complaintOf({ ...PRODUCTION, [variable]: url })).toMatch(
      new RegExp(`^${variable}: has the password of an example`),
    );
  });

  test("listens everywhere, and takes requests for three seconds more after a signal, unless told otherwise", () => {
    expect(read(PRODUCTION)).toMatchObject({ hosts: [undefined], drainSeconds: 3 });
    expect(read({ ...PRODUCTION, HOST: "10.0.0.1", DRAIN_SECONDS: "0" })).toMatchObject({
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
