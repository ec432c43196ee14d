/**
 * Prepares a clone to run: installs when the lockfile has changed, builds when a source is newer than the build. Runs on
 * any installed Node, before anything is installed, so it is plain JavaScript with old syntax and imports nothing from
 * node_modules.
 *
 *   --build              builds too
 *   --without-settings   draws the pictures of an unnamed site, for tests and benchmarks, whatever the environment and
 *                        .env say
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const BUILD_SOURCES = [
  "app",
  "bin/compress.ts",
  "bin/pictures",
  "bin/pictures.ts",
  "package-lock.json",
  "posts",
  "public",
  "react-router.config.ts",
  "sandbox",
  "vite.config.ts",
];
/** Settings that are drawn into the build's pictures. */
const BUILD_SETTINGS = ["PRODUCT_NAME", "HEADLINE"];
const isWithoutSettings = process.argv.includes("--without-settings");

requireNode();
installWhenNeeded();
if (process.argv.includes("--build")) buildWhenNeeded();

/**
 * npm must run on a Node as new as package.json says: an older one silently skips what some packages have for this
 * machine. Everything afterwards runs on the project's own Node.
 */
function requireNode() {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const has = process.versions.node.split(".").map(Number);
  if (engines.node.split("||").some((range) => isWithin(has, range))) return;
  console.error(
    `This needs Node ${engines.node}, and this is ${process.versions.node}. Get a newer one from https://nodejs.org`,
  );
  process.exit(1);
}

/** @param range like "^20.19.0", which means that major version only, or ">=22.12.0" */
function isWithin([hasMajor, hasMinor], range) {
  const [, sign, major, minor] = /(\^|>=)(\d+)\.(\d+)/.exec(range);
  if (hasMajor === Number(major)) return hasMinor >= Number(minor);
  return sign === ">=" && hasMajor > Number(major);
}

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
  // Always a production build. A variable that is set, even if empty, is not read from .env.
  const env = { ...process.env, NODE_ENV: "production" };
  if (isWithoutSettings) for (const name of BUILD_SETTINGS) env[name] = "";
  runOnce("build/.prepared", madeFrom, "npm", ["run", "--silent", "build"], env);
}

/** The settings as written in the environment and in .env, to detect a change. */
function buildSettings() {
  if (isWithoutSettings) return BUILD_SETTINGS.map(() => [undefined, []]);
  const file = join(root, ".env");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return BUILD_SETTINGS.map((name) => [process.env[name], lines.filter((line) => isSetting(line, name))]);
}

function isSetting(line, name) {
  return line.replace(/^\s*(export\s+)?/, "").startsWith(name);
}

/** Runs the command unless `stamp` already holds `digest`; leaves the stamp only after a success. */
function runOnce(stamp, digest, command, args, env = process.env) {
  const file = join(root, stamp);
  if (existsSync(file) && readFileSync(file, "utf8") === digest) return;
  console.log(`${command} ${args.join(" ")}`);
  const { status } = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status || 1);
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
  // A folder such as `public` exists only once it has a file.
  if (!existsSync(join(root, path))) return [];
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesBelow(`${path}/${name}`));
}
