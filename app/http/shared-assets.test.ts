import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase, statementsOf } from "../../test/database.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { connect, endPool } from "../db/client.server.ts";
import { createLog } from "../log/log.server.ts";
import { encode } from "./encoding.server.ts";
import { type SharedAssets, shareAssets } from "./shared-assets.server.ts";
import { createStaticFiles, type StaticFile } from "./static-files.server.ts";

const log = createLog("silent");
const server = sharedServer();
let database: Awaited<ReturnType<typeof openDatabase>>;
const opened: SharedAssets[] = [];

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(async () => {
  for (const shared of opened) shared.stop();
  await database.close();
});

/** A file of another version's build. */
async function fileOf(name: string, text = `console.log(${JSON.stringify(name.repeat(100))});`) {
  const identity = Buffer.from(text);
  const [br, gzip] = await Promise.all([encode(identity, "br", "once"), encode(identity, "gzip", "once")]);
  return { path: `/assets/${name}`, identity, br, gzip } satisfies StaticFile;
}

async function share(files: readonly StaticFile[], db = database.db): Promise<SharedAssets> {
  const shared = await shareAssets({ db, log }, files);
  opened.push(shared);
  return shared;
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

test("a file of a version that started later is served like one of its own, and a name nobody has is not found", async () => {
  const own = readdirSync("build/client/assets").find((name) => /^root-.*\.js$/.test(name));
  const ours = await fetch(`${server.origin}/assets/${own}`);
  const made = await fetch(`${server.origin}/assets/made-up-1.js`);
  expect([ours.status, made.status, made.headers.get("cache-control")]).toEqual([200, 404, "no-store"]);

  const file = await fileOf("next-version-1.js");
  const { db } = connect(server.pool.options.connectionString ?? "", 1, () => {});
  await share([file], db);
  await endPool(db.$client);
  const theirs = await fetch(server.origin + file.path);
  expect(await theirs.text()).toBe(file.identity.toString());
  const without = ["content-length", "date", "etag"];
  const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => !without.includes(name));
  expect(headersOf(theirs)).toEqual(headersOf(ours));

  const etag = theirs.headers.get("etag") ?? "";
  expect(etag.length).toBe(ours.headers.get("etag")?.length);
  const again = await fetch(server.origin + file.path, { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
  const plain = await fetch(server.origin + file.path, {
    method: "HEAD",
    headers: { "accept-encoding": "identity" },
  });
  expect([plain.headers.get("content-encoding"), plain.headers.get("content-length")]).toEqual([
    null,
    String(file.identity.byteLength),
  ]);
  expect((await fetch(`${server.origin}/assets/made-up-2.js`)).status).toBe(404);
});

test("made-up names cost one question a second, and a file is read once however many ask for it", async () => {
  const file = await fileOf("asked-for-by-many.js");
  await share([file]);
  const statements = await statementsOf(database.url, async (db) => {
    const { find } = await share([], db);
    const madeUp = Array.from({ length: 2_000 }, (_, index) => find(`/assets/made-up-${index}.js`));
    expect((await Promise.all(madeUp)).filter(Boolean)).toEqual([]);
    const found = await Promise.all(Array.from({ length: 100 }, () => find(file.path)));
    expect(new Set(found).size).toBe(1);
    expect(await find(file.path)).toEqual(file);
  });
  const lists = statements.filter((statement) => /SELECT path FROM "assets" ORDER BY/.test(statement));
  const reads = statements.filter((statement) => /select .*"plain"/.test(statement));
  expect([lists.length, reads.length]).toEqual([1, 1]);
});

test("files stay a day after their version was last running, and those of a running one are renewed", async () => {
  const [renewed, older, outlived] = [
    await fileOf("renewed.js"),
    await fileOf("older.js"),
    await fileOf("gone.js"),
  ];
  await share([renewed, older, outlived]);
  await database.pool.query(
    `UPDATE assets SET used_at = now() - CASE path WHEN $1 THEN interval '26 hours' ELSE interval '24 hours' END
     WHERE path = ANY ($2)`,
    [outlived.path, [renewed.path, older.path, outlived.path]],
  );
  // Nobody reads them anew if they are there.
  const statements = await statementsOf(database.url, async (db) => {
    await share([renewed], db);
  });
  expect(statements.filter((statement) => statement.startsWith("insert"))).toEqual([]);
  expect(await hoursSinceUse()).toMatchObject({ [renewed.path]: 0, [older.path]: 24 });
  expect(await hoursSinceUse()).not.toHaveProperty(outlived.path);
});

test("eight processes of two versions that start at once all have their files there", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `at-once-${index}.js`);
  const files = await Promise.all(names.map((name) => fileOf(name, name)));
  const versions = [files, files.slice(20), files.toReversed(), files.slice(0, 30)];
  await Promise.all([...versions, ...versions].map((version) => share(version)));
  expect(Object.keys(await hoursSinceUse())).toEqual(expect.arrayContaining(files.map(({ path }) => path)));
});

test("without the database, what was read is still served, and anything else is left to whoever answers next", async () => {
  const [read, unread] = [await fileOf("read-before.js"), await fileOf("unread.js")];
  const connection = connect(database.url, 1, () => {});
  const shared = await share([read, unread], connection.db);
  await shared.find(read.path);
  await endPool(connection.pool);
  expect(await shared.find(read.path)).toEqual(read);

  const serve = createStaticFiles([], false, shared.find);
  const others = createServer((request, response) =>
    serve(request, response, () => response.writeHead(404).end()),
  ).listen(0, "127.0.0.1");
  await once(others, "listening");
  const { port } = others.address() as AddressInfo;
  const statusOf = async ({ path }: StaticFile) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  expect([await statusOf(read), await statusOf(unread)]).toEqual([200, 404]);
  others.close();
});
