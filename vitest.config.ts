import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{app,sandbox,bin,test,docs}/**/*.test.ts"],
    globalSetup: "test/cluster.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // One by one would leave a core idle: much of a test is waiting for a server.
    maxWorkers: 2,
  },
});
