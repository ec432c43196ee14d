import { defineConfig } from "vitest/config";
import { forgetSettings } from "./test/settings.ts";

forgetSettings();
process.env.NODE_ENV = "test";

export default defineConfig({
  envDir: false,
  test: {
    include: ["{app,sandbox,bin,test,docs}/**/*.test.ts"],
    globalSetup: "test/cluster.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests mostly wait for a server, so one worker would leave a core idle.
    maxWorkers: 2,
  },
});
