import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An entry of package-lock.json, by the folder it is installed into. */
interface Package {
  name?: string;
  version: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  link?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/**
 * The software bill of materials, which `node bin/release/sbom.ts` prints: every package that
 * `npm install --omit=dev` can install, of every platform, with version, licence and hash, as CycloneDX. Made from the lockfile
 * alone, and the same bytes everywhere, so that a release's can be made again and compared. It names no registry.
 *
 * Not `npm sbom --omit=dev`, which leaves out what a development dependency needs as well, such as React (npm/cli#7909).
 */
export function makeSbom(root: string): string {
  const { packages }: { packages: Record<string, Package> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  );
  const { "": ourselves } = packages;
  // Without the repository's own packages, which are linked.
  const installed = Object.fromEntries(
    Object.entries(packages).filter(([folder, { link }]) => folder.includes("node_modules/") && !link),
  );
  if (!ourselves) throw new Error("package-lock.json does not say what it is for");
  // A package that is installed in two folders is one component, with the dependencies of both.
  const components = new Map<string, ReturnType<typeof componentOf>>();
  const dependencies = new Map<string, Set<string>>();
  const isShipped = (folder: string) => !packages[folder]?.dev;
  for (const [folder, entry] of Object.entries({ "": ourselves, ...installed }).filter(([folder]) =>
    isShipped(folder),
  )) {
    const url = packageUrl(nameOf(folder, entry), entry.version);
    if (entry !== ourselves) components.set(url, componentOf(folder, entry));
    const refs = dependencies.get(url) ?? new Set();
    for (const place of placesNeededBy(folder, entry, installed)) {
      if (isShipped(place)) refs.add(urlOf(place, installed));
    }
    dependencies.set(url, refs);
  }
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      lifecycles: [{ phase: "pre-build" }],
      component: { ...componentOf("", ourselves), type: "application", scope: undefined },
    },
    components: [...components.values()],
    dependencies: [...dependencies].map(([ref, refs]) => ({ ref, dependsOn: [...refs].sort() })),
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function componentOf(folder: string, entry: Package) {
  const name = nameOf(folder, entry);
  const url = packageUrl(name, entry.version);
  return {
    type: "library",
    "bom-ref": url,
    name,
    version: entry.version,
    scope: entry.optional || entry.devOptional ? "optional" : "required",
    ...(entry.integrity && { hashes: [hashOf(entry.integrity)] }),
    // SPDX knows operators in capitals only.
    ...(entry.license && {
      licenses: [
        { expression: entry.license.replaceAll(/ (and|or) /g, (operator) => operator.toUpperCase()) },
      ],
    }),
    purl: url,
  };
}

/** The folders of the packages that this one finds when it is loaded: in its own folder first, then in those above. */
function placesNeededBy(folder: string, entry: Package, installed: Record<string, Package>): string[] {
  const names = Object.keys({
    ...entry.dependencies,
    ...entry.optionalDependencies,
    ...entry.peerDependencies,
  });
  return names.flatMap((name) => {
    for (let parent = folder; ; parent = parent.slice(0, Math.max(0, parent.lastIndexOf("/node_modules/")))) {
      const place = `${parent ? `${parent}/` : ""}node_modules/${name}`;
      if (installed[place]) return place;
      // Optional packages may be missing.
      if (parent === "") return [];
    }
  });
}

function urlOf(place: string, installed: Record<string, Package>): string {
  const entry = installed[place];
  if (!entry) throw new Error(`${place} is not in package-lock.json`);
  return packageUrl(nameOf(place, entry), entry.version);
}

function nameOf(folder: string, { name }: Package): string {
  return name ?? folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** https://github.com/package-url/purl-spec */
function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** From what the lockfile writes, as Subresource Integrity does, "sha512-…" in base64. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [, bits, hash] = /^sha(\d+)-(\S+)/.exec(integrity) ?? [];
  if (!bits || !hash) throw new Error(`a hash of package-lock.json is of an unknown kind: ${integrity}`);
  return { alg: `SHA-${bits}`, content: Buffer.from(hash, "base64").toString("hex") };
}

if (import.meta.main) process.stdout.write(makeSbom(process.cwd()));
