import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";

/** An empty folder for each test, in which it starts servers with an embedded database. Gives its tests a minute each. */
export function setupDataDir(): { dir: string; postmasterPid(): string } {
  const data = {
    dir: "",
    postmasterPid: () => join(data.dir, "postgres", "cluster", "postmaster.pid"),
  };
  // Each starts and ends several processes, databases among them.
  vi.setConfig({ testTimeout: 60_000 });
  afterAll(() => vi.resetConfig());
  beforeEach(() => {
    data.dir = createDataDir();
  });
  afterEach(() => rmSync(data.dir, { recursive: true, force: true }));
  return data;
}

/** An empty folder that the user of the database can enter. */
export function createDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "restart-"));
  // The database runs as another user when we are root, who must be able to get in.
  chmodSync(folder, 0o755);
  return folder;
}

/** Ends a process and waits until it has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** The connections that hold a lease on the embedded database: `IN_USE_LOCK`. Work that one process does has other locks. */
export const LEASES = "FROM pg_locks WHERE locktype = 'advisory' AND objid = 7130002";

/** Finds a row while two processes hold theirs. */
export const BOTH_LEASES = `SELECT ${LEASES} HAVING count(*) = 2`;

/** Signs up and redeems PREMIUM3. @returns the cookie of the session */
export async function redeem(origin: string): Promise<string> {
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

/** The dashboard of a session, as HTML. */
export async function dashboard(origin: string, cookie: string): Promise<string> {
  return (await fetch(`${origin}/dashboard`, { headers: { cookie } })).text();
}

/** Whether nothing listens there. */
export async function refuses(origin: string): Promise<boolean> {
  return fetch(origin).then(
    () => false,
    () => true,
  );
}

/** Whether a query of a database finds anything. */
export async function hasRow(url: string, query: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(query).finally(() => client.end());
  return (rowCount ?? 0) > 0;
}
