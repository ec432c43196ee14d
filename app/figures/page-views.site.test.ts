import { once } from "node:events";
import { get as httpGet, type IncomingMessage } from "node:http";
import type { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { connectWithSurprise, openDatabase } from "../../test/database.ts";
import { startServer } from "../../test/server.ts";
import { createLog } from "../log/log.server.ts";
import { createViewCounter } from "./page-views.server.ts";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

beforeEach(() => database.pool.query("TRUNCATE page_views"));

const open = (db = database.db) =>
  createViewCounter(
    { db, log: createLog("silent") },
    { pages: ["/", "/pricing"], ownHosts: ["www.ownwords.example"] },
  );

const from = (referrer?: string, userAgent: string | undefined = BROWSER) => ({ referrer, userAgent });

async function views(pool: Pool = database.pool): Promise<Record<string, number>> {
  const { rows } = await pool.query(`SELECT page || ' ' || referrer AS key, views::int FROM page_views
    WHERE day = (now() AT TIME ZONE 'UTC')::date`);
  return Object.fromEntries(rows.map(({ key, views }) => [key, views]));
}

test("views are sums by page and host; programs and other pages are not counted", async () => {
  for (const _process of [1, 2]) {
    const counter = open();
    counter.count("/", from());
    counter.count("/", from("https://ownwords.example/pricing"));
    counter.count("/", from("https://www.google.com/search?q=me"));
    counter.count("/pricing", from("https://news.example/a"));
    counter.count("/pricing", from("https://news.example/b"));
    counter.count("/", from(undefined, "curl/8.5.0"));
    counter.count("/", { referrer: undefined, userAgent: undefined });
    counter.count("/dashboard", from());
    await counter.stop();
  }
  expect(await views()).toEqual({ "/ ": 4, "/ google.com": 2, "/pricing news.example": 4 });
});

test("made-up hosts are counted together, in memory and on a day", async () => {
  const counter = open();
  counter.count("/", from("https://friend.example/"));
  await counter.stop();
  for (let flush = 0; flush < 4; flush++) {
    const flooded = open();
    for (let host = 0; host < 1000; host++)
      flooded.count("/", from(`https://made-up-${flush}-${host}.example/`));
    await flooded.stop();
  }
  const last = open();
  last.count("/", from("https://friend.example/"));
  last.count("/pricing", from("https://new.example/"));
  last.count("/pricing", from());
  await last.stop();
  const counted = await views();
  expect(Object.keys(counted).length).toBeLessThanOrEqual(604);
  expect(
    Object.values(counted).reduce((sum, count) => sum + count, 0),
    "none is lost",
  ).toBe(4004);
  expect([counted["/ friend.example"], counted["/pricing new.example"], counted["/pricing other"]]).toEqual([
    2,
    undefined,
    1,
  ]);
  expect(counted["/pricing "]).toBe(1);
});

test("what cannot be written is written later", async () => {
  const { db, pool } = connectWithSurprise(database.url, /INSERT INTO page_views/, async () => {
    throw new Error("the database is away");
  });
  const counter = open(db);
  counter.count("/", from("https://friend.example/"));
  await counter.start();
  expect(await views()).toEqual({});
  counter.count("/", from("https://friend.example/"));
  await counter.stop();
  expect(await views()).toEqual({ "/ friend.example": 2 });
  await pool.end();
});

test("the site counts what browsers show, from memory or not, and writes it when it stops", async () => {
  const server = await startServer();
  const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const request = httpGet(server.origin + path, { method, headers: { "user-agent": BROWSER, ...headers } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    return response;
  };
  const { headers } = await ask("/");
  const held = await ask("/", {
    "if-none-match": headers.etag ?? "",
    referer: "https://friend.example/blog?me",
  });
  expect(held.statusCode).toBe(304);
  await ask("/pricing", { cookie: "session=x", referer: `${server.origin}/` });
  await ask("/pricing?promo=SPRING", { referer: "https://friend.example/" });
  await ask("/waitlist");
  for (const purpose of ["prefetch", "prefetch;prerender"]) {
    await ask("/faq", { "sec-purpose": purpose });
    await ask("/pricing?promo=SPRING", { "sec-purpose": purpose });
  }
  for (const header of ["sec-purpose", "purpose", "x-purpose", "x-moz", "Sec-Purpose", "X-Moz"])
    for (const value of ["prefetch", "Prefetch", "preview", " prefetch;anonymous-client-ip", "prerender"])
      for (const path of ["/faq", "/pricing?promo=SPRING"]) await ask(path, { [header]: value });
  // The example: by the island's word, and by its form as it is sent without a script.
  await ask("/try-it", { referer: `${server.origin}/why-different` });
  await ask("/why-different?category=Coffee&keywords=cafe");
  await ask("/try-it", { "sec-purpose": "prefetch" });
  await ask("/why-different?category=Coffee", { "sec-purpose": "prefetch" });
  await ask("/try-it", {}, "HEAD");
  await ask("/pricing?category=Coffee");
  await ask("/faq", {}, "HEAD");
  await ask("/faq", { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" });
  await ask("/pricing/");
  await ask("/nothing-here");
  await ask("/dashboard");
  server.child.kill("SIGTERM");
  await once(server.child, "exit");
  expect(await views(server.pool)).toEqual({
    "/ ": 1,
    "/ friend.example": 1,
    "/pricing ": 2,
    "/pricing friend.example": 1,
    "/try-it ": 2,
    "/waitlist ": 1,
    "/why-different ": 1,
  });
  await server.stop();
});
