import { spawn } from "node:child_process";
import { createHmac, randomBytes, randomInt } from "node:crypto";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { findBinaries, type PostgresHome } from "./embedded-home.server.ts";

const PASSWORD_FILE = "superuser-password";
/** Creating a cluster takes seconds. */
const ABANDONED_MILLISECONDS = 60 * 60 * 1000;

/** With a process and its machine. A copy made by hand, such as cluster.2026-11-27, does not match. */
const UNFINISHED = /^cluster\.\d+\.[a-z].*$/i;

/** Left by first starts that were killed. */
function sweepAbandoned(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => UNFINISHED.test(name))) {
    const path = join(folder, name);
    try {
      if (Date.now() - statSync(path).mtimeMs > ABANDONED_MILLISECONDS)
        rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process deletes it too, or it is not ours to delete.
    }
  }
}

/** Under a temporary name and then renamed, so that neither a crash nor a second process leaves half of one. */
export async function initializeOnce(home: PostgresHome): Promise<void> {
  mkdirSync(home.folder, { recursive: true });
  sweepAbandoned(home.folder);
  if (existsSync(home.cluster)) return;
  const unfinished = `${home.cluster}.${process.pid}.${hostname()}`;
  // Left by a killed process with the same id; in containers ids repeat.
  rmSync(unfinished, { recursive: true, force: true });
  const password = `${unfinished}.password`;
  writeFileSync(password, randomBytes(24).toString("hex"), { mode: 0o600 });
  if (home.owner) for (const path of [home.folder, password]) chownSync(path, home.owner.uid, home.owner.gid);
  await run(home, "initdb", [
    `--pgdata=${unfinished}`,
    "--username=postgres",
    "--auth=scram-sha-256",
    `--pwfile=${password}`,
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
  ]);
  renameSync(password, join(unfinished, PASSWORD_FILE));
  try {
    renameSync(unfinished, home.cluster);
  } catch {
    // Another process was first.
    rmSync(unfinished, { recursive: true });
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Detached, so that Ctrl-C does not end it. @returns the port it had before a crash, where others look for it, or a free one */
export async function startCluster(home: PostgresHome): Promise<number> {
  const previous = writtenPort(home);
  const port = previous && (await isFree(previous)) ? previous : await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=400`;
  await run(home, "pg_ctl", ["-D", home.cluster, "-l", home.logFile, "-o", options, "-w", "start"]);
  return port;
}

export async function stopCluster(home: PostgresHome): Promise<void> {
  await run(home, "pg_ctl", ["-D", home.cluster, "-m", "fast", "-w", "stop"]);
}

/** In postmaster.pid, which a clean stop removes. */
export function writtenPort(home: PostgresHome): number | null {
  const pidFile = join(home.cluster, "postmaster.pid");
  if (!existsSync(pidFile)) return null;
  return Number(readFileSync(pidFile, "utf8").split("\n")[3]) || null;
}

export function urlOf(home: PostgresHome, port: number): string {
  const password = readFileSync(join(home.cluster, PASSWORD_FILE), "utf8");
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

/** Its password is derived from the superuser's, so no file contains it. */
export function siteUrlOf(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  const password = createHmac("sha256", url.password).update("the site’s role").digest("hex");
  return Object.assign(url, { username: "site", password }).href;
}

async function run(home: PostgresHome, program: "initdb" | "pg_ctl", args: string[]): Promise<void> {
  const binaries = await findBinaries(home);
  const child = spawn(binaries[program], args, {
    ...home.owner,
    cwd: home.folder,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
  });
  let errorOutput = "";
  child.stderr.on("data", (chunk) => {
    errorOutput += chunk;
  });
  // Not "close": the server that pg_ctl leaves running keeps the pipe open.
  const code = await new Promise((resolve, reject) => child.once("exit", resolve).once("error", reject));
  child.stderr.destroy();
  if (code !== 0) throw new Error(`${program} failed: ${errorOutput.trim() || `exit code ${code}`}`);
}

/** Above ports that browsers refuse (https://fetch.spec.whatwg.org/#port-blocking), below those of outgoing connections. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(11_000, 32_768);
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free on 127.0.0.1");
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
