import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { freePort } from "../../app/db/embedded.server.ts";
import { initialiseOnce, urlOf } from "../../app/db/embedded-cluster.server.ts";
import type { PostgresHome } from "../../app/db/embedded-home.server.ts";
import { eventually } from "../http.ts";
import { spawnServer, startProcess } from "../server.ts";

// Each starts and ends several processes, databases among them.
vi.setConfig({ testTimeout: 60_000 });

/** Where a server has been started once and ended; the two seconds that takes are not what most tests are about. */
let startedOnce: string;
/** Where nothing has been started yet. */
let dataDir: string;

beforeAll(async () => {
  startedOnce = createDataDir();
  await end((await spawnServer({ DATA_DIR: startedOnce })).child);
});

afterAll(() => rmSync(startedOnce, { recursive: true, force: true }));

beforeEach(() => {
  dataDir = createDataDir();
});

afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function createDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "restart-"));
  // The database runs as another user when we are root, who must be able to get in.
  chmodSync(folder, 0o755);
  return folder;
}

async function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

const BOTH_LEASES = "SELECT FROM pg_locks WHERE locktype = 'advisory' HAVING count(*) = 2";

const homeIn = (dataDir: string): PostgresHome => {
  const folder = join(dataDir, "postgres");
  return { folder, cluster: join(folder, "cluster"), logFile: join(folder, "postgres.log"), owner: null };
};
const postmasterPid = () => join(dataDir, "postgres", "cluster", "postmaster.pid");

async function redeem(origin: string): Promise<string> {
  const form = (fields: Record<string, string>) => ({
    method: "POST",
    redirect: "manual" as const,
    headers: { origin },
    body: new URLSearchParams(fields),
  });
  const signUp = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
  const registered = await fetch(`${origin}/register`, form(signUp));
  const cookie = registered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const redeemed = form({ form: "promo", code: "PREMIUM3" });
  const { status } = await fetch(`${origin}/subscription`, { ...redeemed, headers: { origin, cookie } });
  expect(status).toBe(200);
  return cookie;
}

async function dashboard(origin: string, cookie: string): Promise<string> {
  return (await fetch(`${origin}/dashboard`, { headers: { cookie } })).text();
}

async function refuses(origin: string): Promise<boolean> {
  return fetch(origin).then(
    () => false,
    () => true,
  );
}

async function hasRow(url: string, query: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(query).finally(() => client.end());
  return (rowCount ?? 0) > 0;
}

test("Ctrl-C ends the server and its database; the next start has everything", async () => {
  const first = await spawnServer({ DATA_DIR: dataDir });
  const cookie = await redeem(first.origin);
  expect(existsSync(postmasterPid())).toBe(true);
  first.child.kill("SIGINT");
  expect(await once(first.child, "exit")).toEqual([0, null]);
  expect(existsSync(postmasterPid())).toBe(false);

  const second = await spawnServer({ DATA_DIR: dataDir });
  expect(await dashboard(second.origin, cookie)).toContain("PREMIUM3");
  await end(second.child);
});

test("two processes share one database, start it again when it is killed, and the last one out stops it", async () => {
  const [one, two] = await Promise.all([
    spawnServer({ DATA_DIR: dataDir }),
    spawnServer({ DATA_DIR: dataDir }),
  ]);
  const cookie = await redeem(one.origin);
  const written = () => {
    // It comes and goes while the new server waits for what is left of the old one.
    const text = existsSync(postmasterPid()) ? readFileSync(postmasterPid(), "utf8") : "";
    const [pid, , , port] = text.split("\n");
    return { pid, port };
  };
  const before = written();
  process.kill(Number(before.pid), "SIGKILL");
  await eventually(async () => ![before.pid, ""].includes(written().pid), "it is started again");
  for (const { origin } of [one, two]) {
    const recovers = async () => (await dashboard(origin, cookie)).includes("PREMIUM3");
    await eventually(recovers, "the server recovers");
    await eventually(async () => (await fetch(`${origin}/readyz`)).status === 200, "the server is ready");
  }
  expect(written().port).toBe(before.port);
  const url = urlOf(homeIn(dataDir), Number(before.port));
  await eventually(() => hasRow(url, BOTH_LEASES), "both leases are taken again");
  await end(one.child);
  expect(await dashboard(two.origin, cookie)).toContain("PREMIUM3");
  await end(two.child);
  expect(existsSync(postmasterPid())).toBe(false);
});

test("what first starts that were killed have left is swept; what one is still making is not", async () => {
  const ended = spawn("true");
  await once(ended, "exit");
  const home = homeIn(dataDir);
  const { folder } = home;
  const kept = `cluster.${process.pid}.${hostname()}`;
  const old = "cluster.1.another-machine";
  for (const name of ["cluster", kept, old, `cluster.${ended.pid}.${hostname()}`])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, `cluster.${ended.pid}.${hostname()}.password`), "secret");
  utimesSync(join(folder, old), 0, 0);
  await initialiseOnce(home);
  expect(readdirSync(folder).sort()).toEqual(["cluster", kept]);
});

test("a signal in the middle of starting leaves nothing running", async () => {
  // Where in the start the signal comes is the subject: before there is a database, while it is made, while it starts.
  for (const delay of [50, 400, 900, 1300]) {
    const port = String(await freePort());
    const child = startProcess({ DATA_DIR: dataDir, PORT: port, LOG_LEVEL: "silent" });
    await new Promise((resolve) => setTimeout(resolve, delay));
    child.kill("SIGTERM");
    await once(child, "exit");
    await eventually(async () => !existsSync(postmasterPid()), "the database is down");
    expect(await refuses(`http://127.0.0.1:${port}`)).toBe(true);
  }
  const { child } = await spawnServer({ DATA_DIR: dataDir });
  await end(child);
});

test("a setting that is wrong ends the start with its name", async () => {
  const child = startProcess({
    NODE_ENV: "production",
    DATA_DIR: dataDir,
    PUBLIC_ORIGIN: "https://own.example",
  });
  let printed = "";
  child.stderr.on("data", (chunk) => {
    printed += chunk;
  });
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(printed).toContain("AUTH_SECRET: must be set");
});
