import { expect, test } from "vitest";
import { SITE } from "../test/site.ts";
import { readConfig } from "./config/config.server.ts";
import { startWarnings } from "./start-warnings.server.ts";

const PRODUCTION = {
  PUBLIC_ORIGIN: "https://own.example",
  AUTH_SECRET: "a secret of at least thirty-two characters",
  DATABASE_URL: "postgres://localhost/site",
};
const NAMED = { company: "Own Inc.", companyAddress: "1 Main Street" };
const config = (site: Partial<typeof SITE>, isProduction = true) => ({
  isProduction,
  publicOrigin: "https://own.example",
  site: { ...SITE, supportEmail: "help@own.com", ...NAMED, ...site },
  trustedProxies: readConfig({ TRUSTED_PROXIES: "loopback", DATA_DIR: "unused" }).trustedProxies,
  metrics: null,
});

test("production is told what people miss on its pages", () => {
  expect(startWarnings(config({}))).toEqual([]);
  expect(startWarnings(config({ supportEmail: "help@own.example" }))).toEqual([
    expect.stringMatching(/^SUPPORT_EMAIL/),
  ]);
  for (const missing of [{ company: null }, { companyAddress: null }])
    expect(startWarnings(config(missing))).toEqual([
      expect.stringMatching(/^COMPANY_NAME and COMPANY_ADDRESS/),
    ]);
  expect(startWarnings(config({ company: null, supportEmail: "help@own.example" }, false))).toEqual([]);
});

test("links that are not set are left out in production, and named at the start", () => {
  const { site } = readConfig({ NODE_ENV: "production", ...PRODUCTION });
  expect([site.communityUrl, site.microblogUrl, site.codeHostUrl, site.storeUrl, site.supportEmail]).toEqual(
    Array.from({ length: 5 }, () => null),
  );
  expect(startWarnings({ ...config({}), site: { ...site, ...NAMED } })).toEqual([
    expect.stringMatching(/^SUPPORT_EMAIL is not set/),
    expect.stringMatching(/^COMMUNITY_URL, MICROBLOG_URL, CODE_HOST_URL, STORE_URL not set/),
  ]);
  expect(startWarnings(config({ storeUrl: null }))).toEqual([expect.stringMatching(/^STORE_URL not set/)]);
  const sandbox = readConfig({ DATA_DIR: "unused" }).site;
  for (const url of [sandbox.communityUrl, sandbox.microblogUrl, sandbox.codeHostUrl, sandbox.storeUrl])
    expect(new URL(url ?? "").hostname).toMatch(/\.example$/);
});

test.each(["0.0.0.0", "::"])("metrics on %s are on every address", (host) => {
  expect(startWarnings({ ...config({}), metrics: { port: 9464, host } })).toEqual([
    expect.stringMatching(/^METRICS_HOST/),
  ]);
  expect(startWarnings({ ...config({}), metrics: { port: 9464, host: "127.0.0.1" } })).toEqual([]);
});

test("behind TLS, a proxy must be trusted to name the client", () => {
  expect(startWarnings({ ...config({}), trustedProxies: [] })).toEqual([
    expect.stringMatching(/^TRUSTED_PROXIES/),
  ]);
});
