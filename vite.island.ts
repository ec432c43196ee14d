import { build, type Plugin, type Rolldown } from "vite";
import { listPackages } from "./vite.packages.ts";

/**
 * Bundles one script separately from those of the pages, so that they share no chunks. Importing `virtual:<name>` gives its
 * URL.
 *
 * @param entry the source, relative to the project's root
 * @param target browsers, as in Vite's build.target
 */
export function island(name: string, entry: string, target: string[]): Plugin {
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
