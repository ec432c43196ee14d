import { build, type Plugin, type Rolldown } from "vite";

/**
 * Bundles one script by itself, apart from the pages' scripts, so that it shares no file with them: loading it loads
 * nothing else, and they load nothing of it. Importing `virtual:<name>` gives its address.
 *
 * @param entry the source, from the project's root
 * @param target the browsers it is for, as in Vite's build.target
 */
export function island(name: string, entry: string, target: string[]): Plugin {
  const id = `virtual:${name}`;
  let isBuild = false;

  return {
    name: "island",
    configResolved(config) {
      isBuild = config.command === "build";
    },
    async buildStart() {
      if (!isBuild || this.environment.name !== "client") return;
      const { fileName, code } = await bundle();
      this.emitFile({ type: "asset", fileName, source: code });
    },
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    async load(loaded) {
      if (loaded !== `\0${id}`) return;
      const path = isBuild ? (await bundle()).fileName : entry;
      return `export default ${JSON.stringify(`/${path}`)}`;
    },
  };

  /** The same each time, since the file is named by what is in it. */
  async function bundle(): Promise<Rolldown.OutputChunk> {
    const { output } = (await build({
      configFile: false,
      logLevel: "warn",
      publicDir: false,
      build: { write: false, target, modulePreload: false, rolldownOptions: { input: { [name]: entry } } },
    })) as Rolldown.RolldownOutput;
    if (output.length > 1) throw new Error(`${entry} is bundled into more than one file`);
    return output[0];
  }
}
