import { Resolver } from "node:dns/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startNameServer } from "../../test/dns.ts";
import { startSmtpServer } from "../../test/smtp.ts";
import { checkMail, checkMailNames } from "./mail.server.ts";

const FROM = "hello@mail.own.app";
const resolver = new Resolver({ timeout: 1_000, tries: 1 });
let names: Awaited<ReturnType<typeof startNameServer>>;

beforeAll(async () => {
  names = await startNameServer({
    "mail.own.app": ["google-site-verification=x", "v=spf1 include:smtp.example ~all"],
    "_dmarc.own.app": ["v=DMARC1; p=none"],
    "bare.app": ["v=spf10 is something else"],
  });
  resolver.setServers([names.address]);
});

afterAll(() => names.close());

test("a mail server is connected to and signed in at, and nothing is sent", async () => {
  let mails = 0;
  const server = await startSmtpServer({
    authOptional: false,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) =>
      done(password === "right" ? null : new Error("no"), { user: "site" }),
    onMailFrom: (_from, _session, done) => {
      mails++;
      done();
    },
  });
  const withPassword = (password: string) => server.url.replace("//", `//site:${password}@`);
  const check = (url: string) => checkMail({ mode: "smtp", url, from: FROM });
  expect(await check(withPassword("right"))).toMatchObject([{ level: "ok" }]);
  const [refused] = await check(withPassword("a-wrong-password"));
  expect(refused).toMatchObject({
    level: "fail",
    advice: expect.stringContaining("user and password in SMTP_URL"),
  });
  expect(JSON.stringify(refused)).not.toContain("a-wrong-password");
  await server.close();
  expect(await check(withPassword("right"))).toMatchObject([
    { level: "fail", says: expect.stringContaining("ECONNREFUSED") },
  ]);
  expect(mails).toBe(0);
});

test("SPF counts for the name itself, DMARC also for the one above it; without them it says what to add", async () => {
  const check = (from: string) => checkMailNames({ mode: "smtp", url: "smtp://x", from }, resolver);
  expect(await check(FROM)).toMatchObject([{ level: "ok" }]);
  expect(await check("hello@bare.app")).toMatchObject([
    { level: "warn", says: expect.stringContaining("no SPF record") },
    { level: "warn", advice: expect.stringContaining("_dmarc.bare.app") },
  ]);
  expect(await check("hello@own.example")).toMatchObject([{ level: "ok" }]);
  expect(await check("hello@typo.app")).toMatchObject([
    { level: "warn", says: expect.stringContaining("knows no typo.app") },
  ]);
});

test("a name server that is away is said to be, and nothing about records", async () => {
  const away = new Resolver({ timeout: 100, tries: 1 });
  away.setServers(["127.0.0.1:1"]);
  expect(await checkMailNames({ mode: "smtp", url: "smtp://x", from: FROM }, away)).toMatchObject([
    { level: "warn", says: expect.stringContaining("could not be looked up") },
  ]);
});
