import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "vite";

/** A JSON file for each bundle, beside the build and not in it: the bill of materials is compared with them. */
const FOLDER = join(import.meta.dirname, "build/packages");
/** The folder of an installed package, also of one that another has for itself. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * Writes down of which packages a bundle has copies, by the folders they are installed in. What was left out because nothing uses it
 * does not count.
 */
export function listPackages(name: string, environment?: string): Plugin {
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
            const folder = PACKAGE.exec(id.replace(/^\0/, ""))?.[0];
            if (folder && renderedLength > 0) folders.add(relative(import.meta.dirname, folder));
          }
        }
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify([...folders].sort(), null, 2)}\n`);
      },
    },
  };
}
