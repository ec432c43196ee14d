import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import type { Log } from "../log/log.server.ts";
import { assets } from "./schema.ts";
import { isHashed, setFileHeaders } from "./static-files.server.ts";

const RENEW_MILLISECONDS = 60 * 60 * 1000;
/** A day, and an hour because a process may end just before it renews its files. */
const KEPT = sql`interval '25 hours'`;

/** During a rolling upgrade, a page of one version may request its files from the other (decision 0056). */
export async function shareAssets({ db, log }: { db: Database; log: Log }, folder: string) {
  const own = (await readdir(join(folder, "assets")))
    .map((name) => `/assets/${name}`)
    .filter((path) => isHashed(path) && !/\.(br|gz)$/.test(path))
    .sort();
  /** About two megabytes a version. */
  const read = new Map<string, Buffer>();
  /** Anyone can make up names: all that are asked for meanwhile are one query, and one is asked at a time. */
  const wanted = new Set<string>();
  let reading = Promise.resolve();
  await share();
  const renewal = setInterval(() => {
    share().catch((error: unknown) =>
      log.warn({ error }, "the scripts and styles of this version could not be renewed"),
    );
  }, RENEW_MILLISECONDS).unref();

  return {
    serve({ method, url = "" }: IncomingMessage, response: ServerResponse, next: () => void): void {
      const [path = ""] = url.split("?", 1);
      if (!isHashed(path) || (method !== "GET" && method !== "HEAD")) next();
      else
        void readAsset(path).then((content) => {
          if (!content) return next();
          setFileHeaders(response, path);
          response.setHeader("Content-Length", content.byteLength);
          response.end(method === "HEAD" ? undefined : content);
        });
    },
    stop: () => clearInterval(renewal),
  };

  async function share(): Promise<void> {
    // In a fixed order, here and below, so that no two processes deadlock.
    const { rows } = await db.execute<{ path: string }>(sql`
      UPDATE ${assets} SET used_at = now()
      FROM (SELECT path FROM ${assets} WHERE path = ANY (${sql.param(own)}) ORDER BY path FOR UPDATE) there
      WHERE ${assets.path} = there.path RETURNING ${assets.path}`);
    const there = new Set(rows.map(({ path }) => path));
    const missing = own.filter((path) => !there.has(path));
    const files = missing.map(async (path) => ({
      path,
      type: "",
      plain: await readFile(join(folder, path)),
    }));
    if (files.length > 0)
      await db
        .insert(assets)
        .values(await Promise.all(files))
        .onConflictDoNothing();
    await db.execute(sql`
      DELETE FROM ${assets} WHERE path IN
        (SELECT path FROM ${assets} WHERE used_at < now() - ${KEPT} FOR UPDATE SKIP LOCKED)`);
  }

  async function readAsset(path: string): Promise<Buffer | undefined> {
    if (!read.has(path)) {
      wanted.add(path);
      reading = reading.then(readWanted);
      await reading;
    }
    return read.get(path);
  }

  async function readWanted(): Promise<void> {
    const paths = [...wanted];
    wanted.clear();
    if (paths.length === 0) return;
    const { path, plain } = assets;
    const isWanted = sql`${path} = ANY (${sql.param(paths)})`;
    // Without the database the files are not found.
    const rows = await db
      .select({ path, plain })
      .from(assets)
      .where(isWanted)
      .catch(() => []);
    for (const row of rows) read.set(row.path, row.plain);
  }
}
