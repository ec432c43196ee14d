import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { island } from "./vite.island.ts";
import { listPackages } from "./vite.packages.ts";
import { reloadPages } from "./vite.reload.ts";
import { plainLetters, sourceFolders, withoutHandoff } from "./vite.server.ts";
import { serverRoutes } from "./vite.server-routes.ts";
import { wordmark } from "./vite.wordmark.ts";

/** The first versions with light-dark(). */
const BROWSERS = ["chrome123", "edge123", "firefox120", "safari17.5"];

export default defineConfig(({ command }) => ({
  plugins: [
    tailwindcss({ optimize: false }),
    reactRouter(),
    serverRoutes(),
    reloadPages(),
    wordmark(),
    sourceFolders(),
    withoutHandoff(),
    plainLetters(),
    listPackages("server", "ssr"),
    island("try-it-island", "app/marketing/try-it/island.ts", BROWSERS),
    island("account-script", "app/account/script/account.ts", BROWSERS),
    island("passkey-script", "app/auth/second-factor/ask-passkey.ts", BROWSERS),
  ],
  // A build must not depend on the settings of a process: only npm's scripts load .env.
  envDir: false,
  // So that light-dark() is not transpiled, which would double the CSS.
  build: {
    cssTarget: BROWSERS,
    reportCompressedSize: false,
    rollupOptions: { checks: { bundlerTimings: false } },
  },
  environments: {
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
      // Everything is bundled (decision 0069): React also so that a build always renders with its production code,
      // whatever NODE_ENV says when it runs: the sandboxed `npm start` is not NODE_ENV=production.
      ...(command === "build" && {
        define: { "process.env.NODE_ENV": JSON.stringify("production") },
        resolve: { noExternal: true as const, external: ["pino-pretty", "pg-native"] },
      }),
    },
  },
}));
