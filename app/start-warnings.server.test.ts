import { expect, test } from "vitest";
import { SITE } from "../test/site.ts";
import { readConfig } from "./config/config.server.ts";
import { startWarnings } from "./start-warnings.server.ts";

const NAMED = { company: "Own Inc.", companyAddress: "1 Main Street" };
const config = (site: Partial<typeof SITE>, isProduction = true) => ({
  isProduction,
  publicOrigin: "https://own.example",
  site: { ...SITE, supportEmail: "help@own.com", ...NAMED, ...site },
  trustedProxies: readConfig({ TRUSTED_PROXIES: "loopback", DATA_DIR: "unused" }).trustedProxies,
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

test("behind TLS, somebody must be trusted to say who the client is", () => {
  expect(startWarnings({ ...config({}), trustedProxies: [] })).toEqual([
    expect.stringMatching(/^TRUSTED_PROXIES/),
  ]);
});
