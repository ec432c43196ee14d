import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readVersion } from "../../app/config/version.server.ts";
import { freePort } from "../../app/db/embedded.server.ts";
import { runCommand } from "../command.ts";
import { COMPILE_CACHE } from "../compile-cache.ts";
import { createDatabase, databaseSettings } from "../database.ts";
import { eventually, postForm } from "../http.ts";
import { AUTH_SECRET, endServers, spawnServer, type TestServer, untilReady } from "../server.ts";
import { openWire, type Wire } from "../wire.ts";

type Server = Awaited<ReturnType<typeof spawnServer>>;

const { text: version } = readVersion(undefined);
/** A process that hears of changes looks by itself only every five seconds (app/background-loop.server.ts). */
const SOON_SECONDS = 4;
/** One that hears nothing looks as often, and has then to read and render what it found. */
const ASKED_SECONDS = 8;
const ROOT = join(import.meta.dirname, "../..");

describe("a process that serves, one that works, and one that hears nothing, on one database", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "processes-"));
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let pool: Pool;
  let wire: Wire;
  let web: Server;
  let worker: Server;
  let deaf: Server;

  beforeAll(async () => {
    database = await createDatabase();
    const settings = databaseSettings(database.url);
    pool = new Pool({ connectionString: database.url, max: 5 });
    pool.on("error", () => {});
    wire = await openWire(database.url, { isDeaf: true });
    const start = (env: Record<string, string>) => spawnServer({ ...settings, DATA_DIR: dataDir, ...env });
    [web, worker, deaf] = await Promise.all([
      start({ ROLE: "web" }),
      start({ ROLE: "worker" }),
      start({ ROLE: "web", DATABASE_URL: wire.url(settings.DATABASE_URL) }),
    ]);
    await eventually(async () => (await listening()) === 3, "all listen");
  });

  afterAll(async () => {
    await endServers([web.child, worker.child, deaf.child], { pool, database, dataDir });
    await wire.close();
  });

  async function listening(): Promise<number> {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'notifications' AND query LIKE 'LISTEN%'`,
    );
    return rowCount ?? 0;
  }

  const saysOf = ({ origin }: Server) =>
    Promise.all(["/llms.txt", "/pricing"].map(async (path) => (await fetch(origin + path)).text()));

  /** @returns after how many seconds each server says something else */
  async function secondsUntilSeen(servers: Server[], change: () => Promise<unknown>): Promise<number[]> {
    // All of them first: what is rendered only once the change is made says it already.
    const before = await Promise.all(servers.map(saysOf));
    await change();
    const since = performance.now();
    return Promise.all(
      servers.map(async (server, index) => {
        const isSeen = async () => (await saysOf(server)).every((text, at) => text !== before[index]?.[at]);
        await eventually(isSeen, "it is seen on each page");
        return (performance.now() - since) / 1000;
      }),
    );
  }

  const openFeature = (at: string) =>
    pool.query(
      `INSERT INTO features (key, opened_at) VALUES ('csv_processing', ${at})
       ON CONFLICT (key) DO UPDATE SET opened_at = excluded.opened_at`,
    );

  test("the worker says whether it is well, and that it serves nothing else", async () => {
    const origin = `http://127.0.0.1:${worker.port}`;
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    for (const path of ["/", "/dashboard", "/assets/none.js", "/api/stripe/webhook"]) {
      const answer = await fetch(origin + path);
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        503,
        expect.stringContaining("ROLE=worker"),
      ]);
    }
  });

  test("what changes is seen by the others long before an idle process would ask", async () => {
    const [heard, asked] = await secondsUntilSeen([web, deaf], () => openFeature("now()"));
    expect(heard).toBeLessThan(SOON_SECONDS);
    expect(asked).toBeLessThan(ASKED_SECONDS);
  });

  test("a feature opens by itself when its time has come", async () => {
    const closing = await secondsUntilSeen([web, deaf], () => openFeature("NULL"));
    expect(Math.max(...closing)).toBeLessThan(ASKED_SECONDS);
    const opening = await secondsUntilSeen([web, deaf], () => openFeature("now() + interval '2 seconds'"));
    for (const seconds of opening) {
      expect(seconds).toBeGreaterThan(1.9);
      expect(seconds).toBeLessThan(2 + ASKED_SECONDS);
    }
  });

  test("a change is seen though every connection that listens was just cut, and they come back", async () => {
    const [seconds] = await secondsUntilSeen([web], async () => {
      await pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notifications' AND datname = current_database()",
      );
      await openFeature("NULL");
    });
    expect(seconds).toBeLessThan(SOON_SECONDS);
    await eventually(async () => (await listening()) === 3, "they listen again");
  });

  test("a job that a page has queued is taken by the worker long before it would ask, and done", async () => {
    for (const { origin } of [web, deaf]) {
      const email = `${randomUUID()}@example.com`;
      const fields = { name: "Ada", email, password: "correct horse battery" };
      expect((await postForm({ origin } as TestServer, "/register", fields)).status).toBe(303);
      await eventually(async () => {
        const sent = "SELECT FROM mails WHERE recipient = $1 AND sent_at IS NOT NULL";
        return (await pool.query(sent, [email])).rowCount;
      }, "the mail is sent");
      // Sending takes as long as the machine is busy; what is asked here is how soon the worker knows.
      const { rows } = await pool.query(
        `SELECT extract(epoch FROM claimed_at - created_at)::float AS seconds FROM outbox
         WHERE kind = 'send_mail' ORDER BY id DESC LIMIT 1`,
      );
      expect(rows[0].seconds).toBeLessThan(SOON_SECONDS);
    }
  });

  test("each is known by its row, which goes with it unless it was killed", async () => {
    const roles = async () => {
      const { rows } = await pool.query(
        "SELECT role, version FROM processes WHERE seen_at > now() - interval '2 minutes' ORDER BY role",
      );
      return rows.map(({ role, version }) => `${role} ${version}`);
    };
    expect(await roles()).toEqual([`web ${version}`, `web ${version}`, `worker ${version}`]);
    const killed = once(deaf.child, "exit");
    deaf.child.kill("SIGKILL");
    await killed;
    const ended = once(worker.child, "exit");
    worker.child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(await roles()).toEqual([`web ${version}`, `web ${version}`]);
  });
});

describe("migrating apart from starting", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "migrate-"));
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let owner: Pool;
  let env: Record<string, string>;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    database = await createDatabase();
    owner = new Pool({ connectionString: database.url, max: 1 });
    env = {
      ...(COMPILE_CACHE as Record<string, string>),
      PATH: process.env.PATH ?? "",
      NODE_ENV: "production",
      PUBLIC_ORIGIN: "http://localhost",
      AUTH_SECRET,
      DATA_DIR: dataDir,
      HOST: "127.0.0.1",
      PORT: String(await freePort()),
      DRAIN_SECONDS: "0",
    };
  });

  afterAll(async () => {
    for (const child of children) {
      if (child.exitCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await owner.end();
    await database.drop();
    rmSync(dataDir, { recursive: true });
  });

  const migrate = (settings: Record<string, string>) =>
    runCommand("bin/migrate.ts", [], { ...env, ...settings });

  /** A server that knows the site's role only. */
  function start() {
    const { DATABASE_URL } = databaseSettings(database.url);
    const child = spawn(process.execPath, ["--import=./test/end-with-parent.ts", "build/server/index.js"], {
      cwd: ROOT,
      env: { ...env, DATABASE_URL },
      stdio: "pipe",
    });
    children.push(child);
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    return { child, ready: untilReady(child), printed: () => printed };
  }

  test("the command makes the schema and says what it applied; a second time there is nothing to do", async () => {
    const settings = databaseSettings(database.url);
    const first = await migrate(settings);
    expect(first).toEqual({
      code: 0,
      printed: expect.stringMatching(/^applied 0000_\w+\n(applied .*\n)+\d+ migrations applied\n$/),
    });
    expect(await migrate(settings)).toEqual({ code: 0, printed: "nothing to apply\n" });
    const { DATABASE_URL } = settings;
    await owner.query(
      "DELETE FROM drizzle.__drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM drizzle.__drizzle_migrations)",
    );
    const refused = await migrate({ DATABASE_URL });
    expect(refused.code).toBe(1);
    expect(refused.printed).toMatch(/does not let this user do what is needed/);
  });

  test("a process that may not migrate refuses an older schema, and serves on a newer one", async () => {
    await expect(start().ready).rejects.toThrow(/schema of the database is older.*npm run migrate.*00\d\d_/);
    await owner.query(
      "INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('later', 4102444800000)",
    );
    const { ready, printed } = start();
    await ready;
    expect(printed()).toContain("newer than this code");
  });
});
