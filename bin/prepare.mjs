/**
 * Makes a clone ready to run: installs when the lockfile asks for it, builds when a source is newer than the
 * build. Runs on whatever Node the machine has, before anything is installed, so it is plain JavaScript and
 * imports nothing from node_modules.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const BUILD_SOURCES = [
  "app",
  "bin/compress.ts",
  "bin/pictures",
  "bin/pictures.ts",
  "package-lock.json",
  "react-router.config.ts",
  "vite.config.ts",
  "vite.island.ts",
];
/** Settings that are drawn into the build's pictures. */
const BUILD_SETTINGS = ["PRODUCT_NAME", "TAGLINE"];

installWhenNeeded();
if (process.argv.includes("--build")) buildWhenNeeded();

function installWhenNeeded() {
  runOnce("node_modules/.prepared", digest(["package-lock.json"]), "npm", [
    // Not `npm ci`: it refuses a lockfile that lacks another platform's optional binaries, and a registry may
    // lack those too. Versions and hashes of everything else still come from the lockfile, which stays as it is.
    "install",
    "--no-save",
    // Node 26 and Vite are development dependencies, and NODE_ENV=production must not leave them out.
    "--include=dev",
    "--loglevel=error",
  ]);
}

function buildWhenNeeded() {
  const madeFrom = `${digest(BUILD_SOURCES)} ${hashOf(JSON.stringify(buildSettings()))}`;
  runOnce("build/.prepared", madeFrom, "npm", ["run", "--silent", "build"]);
}

/** Each from the environment and from .env as it stands there: that one of them changed is all there is to know. */
function buildSettings() {
  const file = join(root, ".env");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return BUILD_SETTINGS.map((name) => [process.env[name], lines.filter((line) => line.includes(name))]);
}

/** Runs the command unless `stamp` already holds `digest`; leaves the stamp only after a success. */
function runOnce(stamp, digest, command, args) {
  const file = join(root, stamp);
  if (existsSync(file) && readFileSync(file, "utf8") === digest) return;
  console.log(`${command} ${args.join(" ")}`);
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, digest);
}

function digest(paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    for (const file of filesBelow(path))
      hash
        .update(file)
        .update("\0")
        .update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

function hashOf(text) {
  return createHash("sha256").update(text).digest("hex");
}

function filesBelow(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesBelow(`${path}/${name}`));
}
