import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import type { Log } from "../log/log.server.ts";
import { assets } from "./schema.ts";
import { createStaticFiles, isHashed } from "./static-files.server.ts";

const RENEW_MILLISECONDS = 60 * 60 * 1000;
/** An hour more than a day, because a process may end just before it would have renewed its files. */
const KEPT = sql`interval '25 hours'`;

/**
 * Gives the hashed files of this process's build to the processes of other versions, and takes theirs: during a rolling
 * upgrade, and for a day after, a page of one version may be followed by a request for its files to the other
 * (decision 0056). Resolves when they are in the database.
 *
 * @param folder of the build's files
 * @returns a handler of requests for the files of other versions, which are kept in a folder once one was asked for
 */
export async function shareAssets({ db, log }: { db: Database; log: Log }, folder: string, isHttps: boolean) {
  const own = (await readdir(join(folder, "assets")))
    .map((name) => `/assets/${name}`)
    .filter((path) => isHashed(path) && !/\.(br|gz)$/.test(path))
    .sort();
  await share();
  const renewal = setInterval(() => {
    share().catch((error: unknown) =>
      log.warn({ error }, "the scripts and styles of this version could not be renewed"),
    );
  }, RENEW_MILLISECONDS).unref();
  const fetched = await mkdtemp(join(tmpdir(), "assets-"));
  await mkdir(join(fetched, "assets"));
  const serve = createStaticFiles(fetched, isHttps);

  return {
    serve(request: IncomingMessage, response: ServerResponse, next: () => void): void {
      const [path = ""] = (request.url ?? "").split("?", 1);
      if (!isHashed(path)) next();
      else
        serve(request, response, () => {
          // Without the database they are not found. What goes wrong in `next` is not for it to answer again.
          fetchAsset(path).then((isThere) => (isThere ? serve(request, response, next) : next()), next);
        });
    },
    async stop(): Promise<void> {
      clearInterval(renewal);
      await rm(fetched, { recursive: true, force: true });
    },
  };

  async function share(): Promise<void> {
    // In one order, here and below, so that no two processes wait for each other.
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

  async function fetchAsset(path: string): Promise<boolean> {
    const [row] = await db.select({ plain: assets.plain }).from(assets).where(eq(assets.path, path));
    if (!row) return false;
    // Renamed, so that nobody is sent a part of it.
    const unfinished = join(fetched, randomUUID());
    await writeFile(unfinished, row.plain);
    await rename(unfinished, join(fetched, path));
    return true;
  }
}
