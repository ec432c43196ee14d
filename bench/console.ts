import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { endPool } from "../app/db/client.server.ts";
import startCluster from "../test/cluster.ts";
import { crawlConsole } from "../test/crawl-console.ts";
import { createDatabase, databaseSettings } from "../test/database.ts";
import { appPaths } from "../test/entrances.ts";
import { createOperator } from "../test/operator.ts";
import { spawnServer } from "../test/server.ts";
import { fill, LARGE_TABLES } from "./console-data.ts";
import { download } from "./console-files.ts";

/** Pages of people, codes and so on that have a lot, and such as no link of a first page leads to. */
const UNLINKED = [
  ...["/admin/people/user77", "/admin/people/user777777", "/admin/codes/CODE1", "/admin/codes/CODE777"],
  ...["/admin/batches/batch7", "/admin/messages/message77", "/admin/mail/777", "/admin/waitlist?by=member7"],
  "/admin/waitlist/invitations/invitation",
  "/admin/waitlist/invite?count=10000&tier=premium&months=1",
];
/** The files that have a row for each of the size. */
const WHOLE_FILES = ["people", "codes", "waitlist", "messages", "mail", "log"].map(
  (name) => `/admin/${name}.csv`,
);
const DEFAULT_SIZE = 1_000_000;
/** The longest a query of a page may take at the 95th percentile, in milliseconds. */
const MOST_MILLISECONDS = 50;
const TIMES = 20;
/** The most memory the server may ever have had, in megabytes. */
const MOST_MEMORY = 300;

/**
 * The operator's console at a million users, redemptions, mails and so on: every query of every page, sort, filter and
 * search within 50 ms at the 95th percentile and without reading a large table whole; its files within 300 MB.
 *
 * @returns whether all of that holds
 */
export async function run(): Promise<boolean> {
  const size = Number(process.argv[3] ?? DEFAULT_SIZE);
  const endCluster = await startCluster();
  const database = await createDatabase();
  const folder = mkdtempSync(join(tmpdir(), "bench-console-"));
  const statements = join(folder, "statements");
  const pool = new Pool({ connectionString: databaseSettings(database.url).DATABASE_OWNER_URL, max: 3 });
  pool.on("error", () => {});
  const spawn = () =>
    spawnServer({
      ...databaseSettings(database.url),
      DATA_DIR: folder,
      LOG_LEVEL: "error",
      STATEMENTS: statements,
      // A heap that is never too full is never tidied up: this is what a server of half a gigabyte is started with.
      NODE_OPTIONS: `--max-old-space-size=160 --import=${join(import.meta.dirname, "record-statements.ts")}`,
    });
  let server = await spawn();
  try {
    await stop(server.child);
    const begun = performance.now();
    await fill(pool, size);
    console.log(`filled with ${size} of everything in ${seconds(begun)}`);
    server = await spawn();
    const { cookie } = await createOperator(pool);
    const faults = [
      ...(await measureQueries(server.origin, cookie, pool, statements)),
      ...(await measureFiles(server, cookie, size)),
    ];
    for (const fault of faults) console.log(`MISSED: ${fault}`);
    if (faults.length === 0) console.log("reached");
    return faults.length === 0;
  } finally {
    await stop(server.child);
    await endPool(pool);
    await endCluster();
    rmSync(folder, { recursive: true, force: true });
  }
}

const seconds = (begun: number) => `${Math.round((performance.now() - begun) / 1000)} s`;

async function stop(child: Awaited<ReturnType<typeof spawnServer>>["child"]): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

type Statement = [text: string, values: (string | null)[]];

/** @returns what is too slow, or reads a large table whole */
async function measureQueries(origin: string, cookie: string, pool: Pool, file: string): Promise<string[]> {
  // What the process asks by itself, its sweeps among it.
  await sleep(35_000);
  const background = new Set((await readStatements(file)).map(([text]) => text));
  writeFileSync(file, "");

  const faults: string[] = [];
  const pages: { path: string; milliseconds: number }[] = [];
  const asked = new Map<string, { statement: Statement; path: string }>();
  for await (const page of crawlConsole(origin, cookie, UNLINKED)) {
    pages.push(page);
    if (page.status >= 400) faults.push(`${page.path} is answered with ${page.status}`);
    for (const statement of await readStatements(file)) {
      if (background.has(statement[0]) || !/^\s*(with|select)\b/i.test(statement[0])) continue;
      asked.set(JSON.stringify(statement), { statement, path: page.path });
    }
    writeFileSync(file, "");
  }
  const results: { path: string; text: string; p95: number }[] = [];
  for (const { statement, path } of asked.values()) {
    const found = await measureStatement(pool, statement);
    results.push({ path, text: statement[0], p95: found.p95 });
    const short = statement[0].replaceAll(/\s+/g, " ").slice(0, 200);
    if (found.p95 > MOST_MILLISECONDS) faults.push(`${found.p95.toFixed(1)} ms, ${path}: ${short}`);
    for (const table of found.whole) faults.push(`${table} is read whole by ${path}: ${short}`);
  }
  const slowest = results.toSorted((a, b) => b.p95 - a.p95);
  console.log(`${pages.length} pages, ${results.length} queries; p95 in ms of the slowest:`);
  for (const { path, p95 } of slowest.slice(0, 12)) console.log(`  ${p95.toFixed(1).padStart(6)}  ${path}`);
  const byTime = pages.toSorted((a, b) => b.milliseconds - a.milliseconds);
  console.log("The slowest pages as a whole, asked for once:");
  for (const { path, milliseconds } of byTime.slice(0, 8))
    console.log(`  ${milliseconds.toFixed(0).padStart(6)}  ${path}`);
  return faults;
}

/** @returns which file is not whole, or needs too much memory */
async function measureFiles(
  { origin, child }: Awaited<ReturnType<typeof spawnServer>>,
  cookie: string,
  size: number,
): Promise<string[]> {
  const faults: string[] = [];
  console.log(`the server has had ${peakMegabytes(child.pid)} MB at most by now`);
  for (const path of appPaths().filter((path) => /^\/admin\/[^/]+\.csv$/.test(path))) {
    for (const breakAfter of [null, size * 20]) {
      const { rows, different, milliseconds } = await download(origin, path, cookie, breakAfter);
      const how = breakAfter === null ? "" : ", broken off and gone on with";
      const memory = peakMegabytes(child.pid);
      console.log(
        `${path}${how}: ${rows} rows in ${(milliseconds / 1000).toFixed(0)} s, the server has had ${memory} MB at most`,
      );
      if ((rows < size && WHOLE_FILES.includes(path)) || different !== rows)
        faults.push(`${path}${how} has ${rows} rows, ${different} different`);
      if (memory > MOST_MEMORY) faults.push(`the server has had ${memory} MB by the end of ${path}`);
    }
  }
  return faults;
}

/** The most memory that a process has ever had resident. */
function peakMegabytes(pid: number | undefined): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

async function readStatements(file: string): Promise<Statement[]> {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Statement);
}

/** Runs a statement some times. @returns its time at the 95th percentile, and the large tables it reads whole */
async function measureStatement(
  pool: Pool,
  [text, values]: Statement,
): Promise<{ p95: number; whole: string[] }> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query(
      `EXPLAIN (FORMAT JSON) ${text.replace(/for (no key )?update.*$/is, "")}`,
      values,
    );
    const whole = tablesReadWhole(rows[0]["QUERY PLAN"]).filter((table) => LARGE_TABLES.includes(table));
    const times: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      const begun = performance.now();
      await client.query(text, values);
      times.push(performance.now() - begun);
    }
    times.sort((a, b) => a - b);
    return { p95: times[Math.ceil(TIMES * 0.95) - 1] ?? 0, whole };
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

function tablesReadWhole(plan: unknown): string[] {
  if (Array.isArray(plan)) return plan.flatMap(tablesReadWhole);
  if (typeof plan !== "object" || plan === null) return [];
  const node = plan as Record<string, unknown>;
  const own = node["Node Type"] === "Seq Scan" ? [String(node["Relation Name"])] : [];
  return [...own, ...Object.values(node).flatMap(tablesReadWhole)];
}
