import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { findBinaries, findHome, type PostgresHome } from "./embedded-home.server.ts";

/** Every process that uses the cluster holds this lock shared; whoever can take it alone is the last one. */
const IN_USE_LOCK = 7_130_002;
/** Kept inside the cluster, which it belongs to. */
const PASSWORD_FILE = "superuser-password";
const START_ATTEMPTS = 20;

export interface EmbeddedPostgres {
  url: string;
  /** Stops the cluster, unless another process still uses it. */
  release(): Promise<void>;
}

/**
 * A real PostgreSQL with its data in `dataDir`: started if it is not running, adopted if it is (a process
 * ended by SIGKILL leaves it behind; PostgreSQL itself recovers from a machine that lost power).
 *
 * @param log receives the lines a person should see, such as where the data is when it cannot be in `dataDir`
 */
export async function openEmbeddedPostgres(
  dataDir: string,
  log: (line: string) => void,
): Promise<EmbeddedPostgres> {
  const home = await findHome(dataDir, log);
  await initialiseOnce(home);

  for (let attempt = 1; ; attempt++) {
    const url = await runningUrl(home, attempt);
    const lease = url && (await holdLease(url));
    if (lease) return { url, release: () => release(home, lease) };
    // Another process is just starting or stopping the cluster: look again.
    if (attempt === START_ATTEMPTS) throw new Error(`PostgreSQL does not answer; see ${home.logFile}`);
    await sleep(250);
  }
}

/**
 * Where the cluster answers. On every other look the port in postmaster.pid is believed; in between PostgreSQL itself
 * decides whether the file is stale, since after a power cut its process number may be somebody else's.
 */
async function runningUrl(home: PostgresHome, attempt: number): Promise<string | null> {
  const written = attempt % 2 === 1 ? writtenPort(home) : null;
  const port =
    written ??
    (await start(home).catch((error) => (attempt === START_ATTEMPTS ? Promise.reject(error) : null)));
  return port === null ? null : `postgres://postgres:${password(home)}@127.0.0.1:${port}/postgres`;
}

/** Makes the cluster beside its place and moves it there whole, so that a twin or a crash never leaves half of one. */
async function initialiseOnce(home: PostgresHome): Promise<void> {
  if (existsSync(home.cluster)) return;
  mkdirSync(home.folder, { recursive: true });
  const unfinished = `${home.cluster}.${process.pid}`;
  // Left by a process of the same number that was ended in the middle; in a container they repeat.
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
    // A twin was first; its cluster is the one.
    rmSync(unfinished, { recursive: true });
  }
}

/** Starts the cluster on a free port and answers the port. pg_ctl makes the server outlive a Ctrl-C meant for us. */
async function start(home: PostgresHome): Promise<number> {
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200`;
  await run(home, "pg_ctl", ["-D", home.cluster, "-l", home.logFile, "-o", options, "-w", "start"]);
  return port;
}

function writtenPort(home: PostgresHome): number | null {
  const pidFile = join(home.cluster, "postmaster.pid");
  if (!existsSync(pidFile)) return null;
  const [, , , port] = readFileSync(pidFile, "utf8").split("\n");
  return Number(port) || null;
}

interface Lease {
  /** Whether no other process holds one, now that this one is given up. The answer holds until `end`. */
  giveUp(): Promise<boolean>;
  end(): Promise<void>;
}

/** A lease that is taken again whenever its connection is lost. @returns `null` when the cluster does not answer */
async function holdLease(url: string): Promise<Lease | null> {
  let isGivenUp = false;
  let client = await takeLock(url);
  if (!client) return null;
  watch(client);

  function watch(held: Client): void {
    held.once("end", async () => {
      while (!isGivenUp) {
        const again = await takeLock(url);
        if (again && isGivenUp) return void again.end();
        if (again) {
          client = again;
          return watch(again);
        }
        await sleep(1_000, undefined, { ref: false });
      }
    });
  }

  return {
    async giveUp() {
      isGivenUp = true;
      await client?.query("SELECT pg_advisory_unlock_shared($1)", [IN_USE_LOCK]);
      const answer = await client?.query("SELECT pg_try_advisory_lock($1) AS is_last", [IN_USE_LOCK]);
      return answer?.rows[0].is_last === true;
    },
    async end() {
      await client?.end().catch(() => {});
    },
  };
}

async function takeLock(url: string): Promise<Client | null> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // Its loss is seen by the "end" that follows.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT pg_advisory_lock_shared($1)", [IN_USE_LOCK]);
    return client;
  } catch {
    return null;
  }
}

async function release(home: PostgresHome, lease: Lease): Promise<void> {
  try {
    // The lock is kept until the cluster is down, so that a process arriving now waits instead of joining it.
    if (await lease.giveUp()) await run(home, "pg_ctl", ["-D", home.cluster, "-m", "fast", "-w", "stop"]);
  } catch {
    // It is gone already, which is what we wanted.
  } finally {
    await lease.end();
  }
}

function password(home: PostgresHome): string {
  return readFileSync(join(home.cluster, PASSWORD_FILE), "utf8");
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
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  // "exit", not "close": the server that pg_ctl leaves running keeps the pipe open.
  const code = await new Promise((resolve, reject) => child.once("exit", resolve).once("error", reject));
  child.stderr.destroy();
  if (code !== 0) throw new Error(`${program} failed: ${complaint.trim() || `exit code ${code}`}`);
}

/** A port on loopback that nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
