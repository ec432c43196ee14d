import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{app,sandbox,bin,test,docs}/**/*.test.ts"],
    globalSetup: "test/cluster.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
