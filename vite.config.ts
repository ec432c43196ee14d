import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type Plugin } from "vite";
import { island } from "./vite.island.ts";
import { listPackages } from "./vite.packages.ts";
import { sourceFolders } from "./vite.server.ts";
import { wordmark } from "./vite.wordmark.ts";

/** The first versions with light-dark(). */
const BROWSERS = ["chrome123", "edge123", "firefox120", "safari17.5"];

/** What every hydrated page loads: React, the router, and what they share of `ui/`, the frame and the names of plans. */
const BASE = new RegExp(
  [
    "/node_modules/(react|react-dom|react-router|scheduler)/",
    // Without what only public pages show.
    "/app/(http|ui)/(?!(amount|bank-line|sample-lines|statement)\\.)",
    "other-account-notice|signed-in-as|unverified-notice",
    "billing/(choice|plans)\\.ts|promo/rules\\.ts|tokens/|auth/providers/providers\\.ts|entitlements/(tiers|expiry|features)\\.ts",
  ].join("|"),
);

/** Tells the pages that have no modules which could be replaced (app/ui/reload-page.ts). */
const reloadPages: Plugin = {
  name: "reload-pages",
  hotUpdate({ modules, server }) {
    if (this.environment.name !== "ssr" || modules.length === 0) return;
    server.environments.client.hot.send("site:server-code-changed");
  },
};

export default defineConfig(({ command }) => ({
  plugins: [
    tailwindcss({ optimize: false }),
    reactRouter(),
    reloadPages,
    wordmark(),
    sourceFolders(),
    listPackages("server", "ssr"),
    listPackages("client", "client"),
    island("try-it-island", "app/marketing/try-it/island.tsx", BROWSERS),
  ],
  // A build must not depend on the settings of a process: only npm's scripts load .env.
  envDir: false,
  // Found at the start of `npm run dev`: no page is reloaded because it is the first to need a package.
  optimizeDeps: { entries: ["app/**/*.tsx"] },
  // So that light-dark() is not transpiled, which would double the CSS.
  build: {
    cssTarget: BROWSERS,
    reportCompressedSize: false,
    rollupOptions: { checks: { bundlerTimings: false } },
  },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: {
            // Few files, each of what is used together: a page is hydrated after about ten requests, not thirty.
            codeSplitting: {
              groups: [
                { name: "base", test: BASE, minShareCount: 2, priority: 3 },
                {
                  name: "plans",
                  test: /\/app\/(billing|promo|entitlements|tokens)\//,
                  minShareCount: 2,
                  priority: 2,
                },
                {
                  name: "sign-in",
                  test: /\/app\/(auth|hosted-app)\/|\/(credentials-page|password-field)/,
                  minShareCount: 2,
                  priority: 2,
                },
                { name: "console", test: /\/app\/admin\//, minShareCount: 2, priority: 1 },
                {
                  name: "public",
                  test: /\/app\/(marketing|waitlist|contact)\//,
                  minShareCount: 2,
                  priority: 1,
                },
              ],
            },
          },
        },
      },
    },
    ssr: {
      build: {
        rollupOptions: {
          input: "./server.built.ts",
          // Names stay, so that a stack trace can be read; comments and indentation are half of what a process would keep of its sources.
          output: {
            // All in one folder, for the paths of vite.server.ts.
            chunkFileNames: "[name]-[hash].js",
            minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
          },
        },
      },
      // Everything is bundled (decision 0063): React also so that a build always renders with its production code,
      // whatever NODE_ENV says when it runs: the sandboxed `npm start` is not NODE_ENV=production.
      ...(command === "build" && {
        define: { "process.env.NODE_ENV": JSON.stringify("production") },
        resolve: { noExternal: true as const, external: ["pino-pretty", "pg-native"] },
      }),
    },
  },
}));
