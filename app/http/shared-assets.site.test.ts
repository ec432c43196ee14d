import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createLog } from "../log/log.server.ts";
import { shareAssets } from "./shared-assets.server.ts";

const server = sharedServer();
let database: Awaited<ReturnType<typeof openDatabase>>;
const closers: (() => void)[] = [];

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(async () => {
  for (const close of closers) close();
  await database.close();
});

/** Starts sharing a build with these files, as a process of it does. */
async function share(names: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "build-"));
  mkdirSync(join(folder, "assets"));
  for (const name of names) writeFileSync(join(folder, "assets", name), name);
  const { stop } = await shareAssets({ db: database.db, log: createLog("silent") }, folder);
  closers.push(stop, () => rmSync(folder, { recursive: true }));
}

/** `used_at` of each file, as hours ago. */
async function hoursSinceUse(): Promise<Record<string, number>> {
  const { rows } = await database.pool.query(
    "SELECT path, round(extract(epoch FROM now() - used_at) / 3600)::int AS hours FROM assets",
  );
  return Object.fromEntries(rows.map(({ path, hours }) => [path, hours]));
}

test("a process that is ready has put its build's files into the database", async () => {
  const built = readdirSync("build/client/assets").filter((name) => !/\.(br|gz)$/.test(name));
  const { rows } = await server.pool.query("SELECT path FROM assets");
  expect(rows.map(({ path }) => path)).toEqual(
    expect.arrayContaining(built.map((name) => `/assets/${name}`)),
  );
});

test("a file of another version is served like one of its own, and an unknown name is not found", async () => {
  const path = "/assets/next-version-1.js";
  const ask = (asked: string, headers: HeadersInit = {}) => fetch(server.origin + asked, { headers });
  const early = await ask(path);
  expect([early.status, early.headers.get("cache-control")]).toEqual([404, "no-store"]);
  const text = "console.log('a later version');".repeat(100);
  await server.pool.query("INSERT INTO assets (path, type, plain) VALUES ($1, '', $2)", [
    path,
    Buffer.from(text),
  ]);
  const asked = await Promise.all(Array.from({ length: 20 }, () => ask(path)));
  for (const each of asked) expect(await each.text()).toBe(text);

  const own = readdirSync("build/client/assets").find((name) => /^root-.*\.js$/.test(name));
  const ours = await ask(`/assets/${own}`);
  const named = ["cache-control", "content-encoding", "content-type", "vary", "x-content-type-options"];
  const headersOf = ({ headers }: Response) => named.map((name) => headers.get(name));
  expect(headersOf(await ask(path))).toEqual(headersOf(ours));
  expect((await ask("/assets/made-up-2.js")).status).toBe(404);
});

test("however many made-up names are asked for, the database is asked once at a time", async () => {
  const client = await server.pool.connect();
  await client.query("BEGIN; LOCK TABLE assets IN ACCESS EXCLUSIVE MODE");
  const asked = Array.from({ length: 30 }, (_, at) => fetch(`${server.origin}/assets/made-up-${at}.js`));
  const counts: number[] = [];
  for (let look = 0; look < 300; look++) {
    const { rows } = await client.query(
      "SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND relation = 'assets'::regclass",
    );
    counts.push(rows[0].waiting);
  }
  await client.query("ROLLBACK");
  client.release();
  for (const { status } of await Promise.all(asked)) expect(status).toBe(404);
  expect(Math.max(...counts)).toBe(1);
});

test("files stay a day after their version was last running, and those of a running one are renewed", async () => {
  await share(["renewed.js", "older.js", "gone.js"]);
  await database.pool.query(
    `UPDATE assets SET used_at = now() - CASE path WHEN '/assets/gone.js' THEN interval '26 hours' ELSE interval '24 hours' END`,
  );
  await share(["renewed.js"]);
  expect(await hoursSinceUse()).toEqual({ "/assets/renewed.js": 0, "/assets/older.js": 24 });
});

test("eight processes of two versions that start at once all have their files there", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `at-once-${index}.js`);
  const versions = [names, names.slice(20), names.toReversed(), names.slice(0, 30)];
  await Promise.all([...versions, ...versions].map((version) => share(version)));
  expect(Object.keys(await hoursSinceUse())).toEqual(
    expect.arrayContaining(names.map((name) => `/assets/${name}`)),
  );
});
