import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { GIVE_UP_AFTER, GIVE_UP_WAITING_AFTER } from "./test/pace.ts";
import { forgetSettings } from "./test/settings.ts";

forgetSettings();
process.env.NODE_ENV = "test";

/** A test that needs a build, mostly to start it, does so by one of these; all others are units: `npm run test:unit`. */
const NEEDS_BUILD =
  /\b(readBuiltPackages|setupServer|sharedServer|startServer|startRecordedServer|spawnServer|startProcess|openSite)\(/;
const files = globSync("{app,sandbox,bin,bench,test,docs}/**/*.test.ts");
const withBuild = files.filter((file) => NEEDS_BUILD.test(readFileSync(file, "utf8")));

export default defineConfig({
  envDir: false,
  test: {
    globalSetup: "test/cluster.ts",
    testTimeout: GIVE_UP_AFTER,
    hookTimeout: GIVE_UP_AFTER,
    expect: { poll: { timeout: GIVE_UP_WAITING_AFTER } },
    // Tests mostly wait for a server, so one worker would leave a core idle.
    maxWorkers: 3,
    // A tenth of the time went into loading the same modules for every file; no test changes what they hold.
    isolate: false,
    projects: [
      { extends: true, test: { name: "unit", include: files.filter((file) => !withBuild.includes(file)) } },
      { extends: true, test: { name: "server", include: withBuild } },
    ],
  },
});
