import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openEmbeddedPostgres } from "../../app/db/embedded.server.ts";
import { eventually } from "../http.ts";
import { spawnServer } from "../server.ts";

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

/** From here on `dataDir` is a folder in which a server has been started and ended. */
function useStartedOnce(): void {
  // Node's own copy would lose whose the files are.
  execFileSync("cp", ["-a", `${startedOnce}/.`, dataDir]);
}

async function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

const BOTH_LEASES = "SELECT FROM pg_locks WHERE locktype = 'advisory' HAVING count(*) = 2";

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

test("after kill -9 the next start takes over the database that was left running", async () => {
  useStartedOnce();
  const first = await spawnServer({ DATA_DIR: dataDir });
  const cookie = await redeem(first.origin);
  await end(first.child, "SIGKILL");
  expect(existsSync(postmasterPid())).toBe(true);

  const second = await spawnServer({ DATA_DIR: dataDir });
  expect(await dashboard(second.origin, cookie)).toContain("PREMIUM3");
  await end(second.child);
  expect(existsSync(postmasterPid())).toBe(false);
});

test("a request that is under way when the signal comes still gets its answer", async () => {
  useStartedOnce();
  const { child, origin } = await spawnServer({ DATA_DIR: dataDir });
  const home = await openEmbeddedPostgres(dataDir, () => {});
  // Holds the sign-up in its middle for as long as this test likes.
  const holder = new Client({ connectionString: home.url });
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE account");
  const signUp = fetch(`${origin}/register`, {
    method: "POST",
    redirect: "manual",
    headers: { origin },
    body: new URLSearchParams({ name: "Ada", email: "ada@example.com", password: "correct horse battery" }),
  });
  const waiting =
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'insert into \"account\"%'";
  await eventually(() => hasRow(home.url, waiting), "the sign-up is under way");
  child.kill("SIGTERM");
  await eventually(() => refuses(origin), "the server takes no more requests");
  await holder.query("ROLLBACK");
  await holder.end();
  expect((await signUp).status).toBe(303);
  expect(await once(child, "exit")).toEqual([0, null]);
  await home.release();
});

test("after a power cut a stale postmaster.pid that names a living process is no obstacle", async () => {
  useStartedOnce();
  const cluster = join(dataDir, "postgres", "cluster");
  const lines = [process.pid, cluster, Math.floor(Date.now() / 1000), 54321, "", "127.0.0.1", "", ""];
  writeFileSync(postmasterPid(), lines.join("\n"), { mode: 0o600 });
  const { uid, gid } = statSync(cluster);
  chownSync(postmasterPid(), uid, gid);
  const second = await spawnServer({ DATA_DIR: dataDir });
  expect((await fetch(`${second.origin}/readyz`)).status).toBe(200);
  await end(second.child);
});

test("a lost lease is taken again, so that a command that comes and goes does not stop the server's database", async () => {
  useStartedOnce();
  const { child, origin } = await spawnServer({ DATA_DIR: dataDir });
  const home = await openEmbeddedPostgres(dataDir, () => {});
  await eventually(() => hasRow(home.url, BOTH_LEASES), "both leases are held");
  await hasRow(home.url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
  await eventually(() => hasRow(home.url, BOTH_LEASES), "both leases are taken again");
  await home.release();
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  await end(child);
  expect(existsSync(postmasterPid())).toBe(false);
});

test("with Stripe away and work waiting, a restart is ready all the same", async () => {
  useStartedOnce();
  const first = await spawnServer({ DATA_DIR: dataDir });
  await fetch(`${first.origin}/sandbox/stripe/control`, {
    method: "POST",
    body: JSON.stringify({ api: "down" }),
  });
  const home = await openEmbeddedPostgres(dataDir, () => {});
  const client = new Client({ connectionString: home.url });
  await client.connect();
  await client.query(
    `INSERT INTO outbox (kind, payload) SELECT 'sync_catalogue', '{}' FROM generate_series(1, 100)`,
  );
  await client.end();
  await home.release();
  await end(first.child);

  const second = await spawnServer({ DATA_DIR: dataDir });
  expect((await fetch(`${second.origin}/subscription`, { redirect: "manual" })).status).toBe(302);
  await end(second.child);
});

test("production refuses what the sandbox left behind, and lets the database go", async () => {
  useStartedOnce();
  const production = spawnServer({
    DATA_DIR: dataDir,
    NODE_ENV: "production",
    EMBEDDED_DATABASE: "on",
    PUBLIC_ORIGIN: "https://own.example",
  });
  await expect(production).rejects.toThrow("this database is for sandbox and this process for production");
  expect(existsSync(postmasterPid())).toBe(false);
});
