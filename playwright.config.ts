import { defineConfig } from "@playwright/test";
import chromium from "@sparticuz/chromium";
import { firefox } from "./test/firefox.ts";
import { GIVE_UP_AFTER, GIVE_UP_WAITING_AFTER } from "./test/pace.ts";
import { forgetSettings } from "./test/settings.ts";

forgetSettings();

// On Linux the browser comes with an npm package, so that nothing is downloaded at test time; elsewhere an
// installed Chrome is used.
const isLinux = process.platform === "linux";

export default defineConfig({
  testDir: "test",
  projects: [
    { name: "e2e", testMatch: "e2e/*.spec.ts" },
    // `--project=screenshots`: pictures to look at, not part of the tests.
    { name: "screenshots", testMatch: "screenshots/*.spec.ts" },
    // The same in Firefox, which has to be installed: `npm run soak -- firefox`.
    { name: "firefox", testMatch: "e2e/*.spec.ts", use: firefox },
    { name: "firefox-screenshots", testMatch: "screenshots/*.spec.ts", use: firefox },
  ],
  globalSetup: "./test/cluster.ts",
  fullyParallel: true,
  forbidOnly: true,
  workers: 3,
  retries: 0,
  timeout: GIVE_UP_AFTER,
  expect: { timeout: GIVE_UP_WAITING_AFTER },
  reporter: "list",
  use: {
    browserName: "chromium",
    // A page that never comes fails as soon as what is waited for on a page.
    navigationTimeout: GIVE_UP_WAITING_AFTER,
    timezoneId: "UTC",
    channel: isLinux ? undefined : "chrome",
    // A trace takes a third of the work of all browser tests: `npx playwright test --project=e2e --trace on FILE` keeps one of a
    // test that failed.
    trace: "off",
    // The frames of fades and view transitions take a quarter of the work of all browser tests, and axe measures colors half-way
    // through a fade. Tests of what moves, and of moving back and forth, have motion: IN_MOTION.
    contextOptions: { reducedMotion: "reduce" },
    screenshot: "only-on-failure",
    // BEHIND_TLS_PROXY: the certificate is the proxy's own.
    ignoreHTTPSErrors: Boolean(process.env.BEHIND_TLS_PROXY),
    launchOptions: isLinux
      ? {
          executablePath: await chromium.executablePath(),
          args: [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
          ],
        }
      : {},
  },
});
