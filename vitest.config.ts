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
    // One by one would leave a core idle: much of a test is waiting for a server.
    maxWorkers: 2,
  },
});
