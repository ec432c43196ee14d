import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { build, defineConfig, type Plugin, type Rolldown } from "vite";

const ROOT = import.meta.dirname;
/** Where the server build is, from the root. */
const SERVER_BUILD = "build/server";
/** A JSON file for each bundle, beside the build and not in it: the bill of materials is compared with them. */
const PACKAGE_LISTS = join(ROOT, "build/packages");
/** The folder of an installed package, also of one that another has for itself. */
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The first versions with light-dark(). */
const BROWSERS = ["chrome123", "edge123", "firefox120", "safari17.5"];

/** What every hydrated page loads: React, the router, and what they share of `ui/`, the frame and the names of plans. */
const BASE = new RegExp(
  [
    "/node_modules/(react|react-dom|react-router|scheduler)/",
    // Without what few pages show.
    "/app/(http|ui)/(?!(amount|bank-line|format-duration|qr-code|sample-lines|statement|use-fields-of|use-settled)\\.)",
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
                  test: /\/app\/(billing|promo|tokens)\/|entitlements\/(?!state-of-the-app)/,
                  minShareCount: 2,
                  priority: 2,
                },
                {
                  name: "sign-in",
                  test: /\/app\/(auth|hosted-app)\/|\/(credentials-page|password-field)/,
                  minShareCount: 2,
                  priority: 2,
                },
                // Forms that the account page has, and their own pages.
                {
                  name: "account",
                  test: /\/app\/account\/(delete-form|photo\/)/,
                  minShareCount: 2,
                  priority: 2,
                },
                // What "Try it" and an account's page for them share, without what only public pages show.
                {
                  name: "categories",
                  test: /\/app\/(categories\/|ui\/(amount|bank-line|sample-lines|statement|use-settled)\.)/,
                  minShareCount: 2,
                  priority: 2,
                },
                {
                  name: "console",
                  test: /\/app\/(admin\/|ui\/(format-duration|use-fields-of)\.)/,
                  minShareCount: 2,
                  priority: 1,
                },
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
          input: "./app/built-site.server.ts",
          // Names stay, so that a stack trace can be read; comments and indentation are half of what a process would keep of its sources.
          output: {
            // All in one folder, for the paths of sourceFolders.
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

/** Lets a module of the server build find the files that lie beside its source, such as the migrations. */
function sourceFolders(): Plugin {
  return {
    name: "source-folders",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "ssr",
    transform: {
      filter: { id: { include: /\.ts$/, exclude: /node_modules/ }, code: /import\.meta\.(dirname|url)/ },
      handler(code, id) {
        const folder = relative(SERVER_BUILD, relative(ROOT, dirname(id)) || ".");
        return code
          .replaceAll("import.meta.dirname", `(import.meta.dirname + ${JSON.stringify(`/${folder}`)})`)
          .replaceAll("import.meta.url", `new URL(${JSON.stringify(`${folder}/`)}, import.meta.url)`);
      },
    },
  };
}

/**
 * Writes down of which packages a bundle has copies, by the folders they are installed in. What was left out because nothing uses it
 * does not count.
 */
function listPackages(name: string, environment?: string): Plugin {
  return {
    name: "list-packages",
    apply: "build",
    applyToEnvironment: (each) => !environment || each.name === environment,
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const folders = new Set<string>();
        for (const file of Object.values(bundle)) {
          if (file.type !== "chunk") continue;
          for (const [id, { renderedLength }] of Object.entries(file.modules)) {
            const folder = PACKAGE_FOLDER.exec(id.replace(/^\0/, ""))?.[0];
            if (folder && renderedLength > 0) folders.add(relative(ROOT, folder));
          }
        }
        mkdirSync(PACKAGE_LISTS, { recursive: true });
        writeFileSync(
          join(PACKAGE_LISTS, `${name}.json`),
          `${JSON.stringify([...folders].sort(), null, 2)}\n`,
        );
      },
    },
  };
}

/**
 * Bundles one script separately from those of the pages, so that they share no chunks. Importing `virtual:<name>` gives its
 * URL.
 *
 * @param entry the source, relative to the project's root
 * @param target browsers, as in Vite's build.target
 */
function island(name: string, entry: string, target: string[]): Plugin {
  const id = `virtual:${name}`;
  let isBuild = false;
  let bundled: Promise<Rolldown.OutputChunk> | undefined;

  return {
    name: "island",
    configResolved(config) {
      isBuild = config.command === "build";
    },
    async buildStart() {
      if (!isBuild || this.environment.name !== "client") return;
      const { fileName, code } = await bundleOnce();
      this.emitFile({ type: "asset", fileName, source: code });
    },
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    async load(loaded) {
      if (loaded !== `\0${id}`) return;
      const path = isBuild ? (await bundleOnce()).fileName : entry;
      return `export default ${JSON.stringify(`/${path}`)}`;
    },
  };

  /** Shared by the client and the server build. */
  function bundleOnce(): Promise<Rolldown.OutputChunk> {
    bundled ??= bundle();
    return bundled;
  }

  async function bundle(): Promise<Rolldown.OutputChunk> {
    const { output } = (await build({
      configFile: false,
      envDir: false,
      logLevel: "warn",
      publicDir: false,
      plugins: [listPackages(name)],
      build: {
        write: false,
        target,
        modulePreload: false,
        rolldownOptions: { input: { [name]: entry }, preserveEntrySignatures: "allow-extension" },
      },
    })) as Rolldown.RolldownOutput;
    if (output.length > 1) throw new Error(`${entry} is bundled into more than one file`);
    return output[0];
  }
}
