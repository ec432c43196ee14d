import { defineConfig } from "vitest/config";
import { databaseFolder } from "./test/cluster.ts";
import { GIVE_UP_AFTER, GIVE_UP_WAITING_AFTER } from "./test/pace.ts";
import { forgetSettings } from "./test/settings.ts";

forgetSettings();
process.env.NODE_ENV = "test";
// Of databases too that tests start or restore by themselves.
process.env.TMPDIR = databaseFolder();

const FOLDERS = "{app,sandbox,bin,bench,test,docs}";
/** Tests that need a build, mostly to start it; all others are units: `npx vitest run --project unit`. */
const WITH_BUILD = `${FOLDERS}/**/*.site.test.ts`;

export default defineConfig({
  envDir: false,
  test: {
    globalSetup: "test/cluster.ts",
    testTimeout: GIVE_UP_AFTER,
    hookTimeout: GIVE_UP_AFTER,
    expect: { poll: { timeout: GIVE_UP_WAITING_AFTER } },
    // Tests mostly wait for a server, so one worker would leave a core idle.
    maxWorkers: 4,
    // A tenth of the time went into loading the same modules for every file; no test changes what they hold.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [`${FOLDERS}/**/*.test.ts`],
          exclude: [WITH_BUILD, "**/node_modules/**"],
        },
      },
      { extends: true, test: { name: "server", include: [WITH_BUILD] } },
    ],
  },
});
