import { dirname, relative } from "node:path";
import type { Plugin } from "vite";

const ROOT = import.meta.dirname;
/** Where the server build is, from the root. */
const BUILD = "build/server";

/** Lets a module of the server build find the files that lie beside its source, such as the migrations. */
export function sourceFolders(): Plugin {
  return {
    name: "source-folders",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "ssr",
    transform: {
      filter: { id: { include: /\.ts$/, exclude: /node_modules/ }, code: /import\.meta\.(dirname|url)/ },
      handler(code, id) {
        const folder = relative(BUILD, relative(ROOT, dirname(id)) || ".");
        return code
          .replaceAll("import.meta.dirname", `(import.meta.dirname + ${JSON.stringify(`/${folder}`)})`)
          .replaceAll("import.meta.url", `new URL(${JSON.stringify(`${folder}/`)}, import.meta.url)`);
      },
    },
  };
}
