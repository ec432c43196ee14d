import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEmbeddedPostgres } from "../../app/db/embedded.server.ts";
import { eventually } from "../http.ts";
import { spawnServer } from "../server.ts";
import {
  BOTH_LEASES,
  createDataDir,
  dashboard,
  end,
  hasRow,
  LEASES,
  redeem,
  refuses,
  setupDataDir,
} from "./data-dir.fixture.ts";

const data = setupDataDir();
/** Where a server has been started once and ended; the two seconds that takes are not what most tests are about. */
let startedOnce: string;

beforeAll(async () => {
  startedOnce = createDataDir();
  await end((await spawnServer({ DATA_DIR: startedOnce })).child);
});

afterAll(() => rmSync(startedOnce, { recursive: true, force: true }));

/** From here on `data.dir` is a folder in which a server has been started and ended. */
function useStartedOnce(): void {
  // Node's own copy would lose whose the files are.
  execFileSync("cp", ["-a", `${startedOnce}/.`, data.dir]);
}

test("after kill -9 the next start takes over the database that was left running", async () => {
  useStartedOnce();
  const first = await spawnServer({ DATA_DIR: data.dir });
  const cookie = await redeem(first.origin);
  await end(first.child, "SIGKILL");
  expect(existsSync(data.postmasterPid())).toBe(true);

  const second = await spawnServer({ DATA_DIR: data.dir });
  expect(await dashboard(second.origin, cookie)).toContain("PREMIUM3");
  await end(second.child);
  expect(existsSync(data.postmasterPid())).toBe(false);
});

test("a request that is under way when the signal comes still gets its answer", async () => {
  useStartedOnce();
  const { child, origin } = await spawnServer({ DATA_DIR: data.dir });
  const home = await openEmbeddedPostgres(data.dir, () => {});
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
  const cluster = join(data.dir, "postgres", "cluster");
  const lines = [process.pid, cluster, Math.floor(Date.now() / 1000), 54321, "", "127.0.0.1", "", ""];
  writeFileSync(data.postmasterPid(), lines.join("\n"), { mode: 0o600 });
  const { uid, gid } = statSync(cluster);
  chownSync(data.postmasterPid(), uid, gid);
  const second = await spawnServer({ DATA_DIR: data.dir });
  expect((await fetch(`${second.origin}/readyz`)).status).toBe(200);
  await end(second.child);
});

test("a lost lease is taken again, so that a command that comes and goes does not stop the server's database", async () => {
  useStartedOnce();
  const { child, origin } = await spawnServer({ DATA_DIR: data.dir });
  const home = await openEmbeddedPostgres(data.dir, () => {});
  await eventually(() => hasRow(home.url, BOTH_LEASES), "both leases are held");
  // Waits until they have ended: what still seems to be held could be the lost ones.
  await hasRow(home.url, `SELECT pg_terminate_backend(pid, 5000) ${LEASES}`);
  await eventually(() => hasRow(home.url, BOTH_LEASES), "both leases are taken again");
  await home.release();
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  await end(child);
  expect(existsSync(data.postmasterPid())).toBe(false);
});

test("with Stripe away and work waiting, a restart is ready all the same", async () => {
  useStartedOnce();
  const first = await spawnServer({ DATA_DIR: data.dir });
  await fetch(`${first.origin}/sandbox/stripe/control`, {
    method: "POST",
    body: JSON.stringify({ api: "down" }),
  });
  const home = await openEmbeddedPostgres(data.dir, () => {});
  const client = new Client({ connectionString: home.url });
  await client.connect();
  await client.query(
    `INSERT INTO outbox (kind, payload) SELECT 'sync_catalogue', '{}' FROM generate_series(1, 100)`,
  );
  await client.end();
  await home.release();
  await end(first.child);

  const second = await spawnServer({ DATA_DIR: data.dir });
  expect((await fetch(`${second.origin}/subscription`, { redirect: "manual" })).status).toBe(302);
  await end(second.child);
});

test("production refuses what the sandbox left behind, and lets the database go", async () => {
  useStartedOnce();
  const production = spawnServer({
    DATA_DIR: data.dir,
    NODE_ENV: "production",
    EMBEDDED_DATABASE: "on",
    PUBLIC_ORIGIN: "https://own.example",
  });
  await expect(production).rejects.toThrow("this database is for sandbox and this process for production");
  expect(existsSync(data.postmasterPid())).toBe(false);
});
