import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };

/** The site's folder in the image. */
const SITE = "srv/ownwords";
/** Files of tests and tools, sources of bundled pages, and what may hold a secret. */
const UNWANTED =
  /\.(test|fixture|spec)\.\w+$|\.tsx$|(^|\/)\.env|\.(pem|key)$|(^|\/)(test|bench|sandbox|docs)\/|\/sandbox-[^/]*\.js$/;
/** Imports of values: type imports are gone at run time. */
const IMPORT = /^(?:import|export) (?!type )(?:[^;"]*? from )?"([^"]+)"/gm;
const MEGABYTE = 1024 * 1024;

/**
 * Looks at the files of an image.
 *
 * @param root where its file system is mounted
 * @returns a line for each thing that should not be there, or that is missing
 */
export function inspectContents(root: string): string[] {
  const site = join(root, SITE);
  const ours = filesBelow(site).filter((file) => !file.startsWith("node_modules/"));
  for (const name of readdirSync(site)) {
    const size = isFolder(join(site, name)) ? sizeOf(join(site, name)) : statSync(join(site, name)).size;
    console.log(`  ${(size / MEGABYTE).toFixed(1).padStart(6)} MB  /${SITE}/${name}`);
  }
  console.log(
    `  ${(sizeOf(site) / MEGABYTE).toFixed(1).padStart(6)} MB  in ${filesBelow(site).length} files`,
  );
  return [
    ...ours.filter((file) => UNWANTED.test(file)).map((file) => `${file} is in the image`),
    ...Object.keys(packageJson.devDependencies)
      .filter((name) => existsSync(join(site, "node_modules", name)))
      .map((name) => `${name}, a development dependency, is in the image`),
    ...filesBelow(site)
      .filter((file) => isChangeable(join(site, file)))
      .map((file) => `${file} can be changed by the site`),
    ...missingImports(
      site,
      ours.filter((file) => /^bin\/[^/]+\.ts$|\/encoder\.ts$/.test(file)),
    ),
  ];
}

/** Missing imports of a command, direct and indirect, without which it could not start. */
function missingImports(site: string, entries: readonly string[]): string[] {
  const seen = new Set(entries);
  const missing: string[] = [];
  for (const file of seen) {
    const imports = readFileSync(join(site, file), "utf8").matchAll(IMPORT);
    for (const [, target = ""] of imports) {
      if (target.startsWith("node:")) continue;
      const path = target.startsWith(".")
        ? join(dirname(file), target)
        : join("node_modules", ...target.split("/").slice(0, target.startsWith("@") ? 2 : 1));
      if (!existsSync(join(site, path))) missing.push(`${file} imports ${target}, which is not in the image`);
      else if (path.endsWith(".ts")) seen.add(path);
    }
  }
  return missing;
}

function isChangeable(path: string): boolean {
  const { uid, mode } = statSync(path);
  return uid !== 0 || (mode & 0o022) !== 0;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

const sizeOf = (folder: string) =>
  filesBelow(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
const isFolder = (path: string) => statSync(path).isDirectory();
