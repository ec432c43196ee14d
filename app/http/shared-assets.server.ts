import { setTimeout as sleep } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { createBackgroundLoop } from "../background-loop.server.ts";
import type { Database } from "../db/client.server.ts";
import { deleteInBatches } from "../db/delete-batches.server.ts";
import type { Log } from "../log/log.server.ts";
import { assets } from "./schema.ts";
import { isHashed, type StaticFile, typeOf } from "./static-files.server.ts";

const RENEW_MILLISECONDS = 60 * 60 * 1000;
/** An hour more than a day, because a process may end just before it would have renewed its files. */
const KEPT = sql`interval '25 hours'`;
/** Several processes that start at once need not renew the same rows. */
const FRESH = sql`interval '5 minutes'`;
/** Made-up names are looked for as rarely as this, however many there are. */
const LIST_MILLISECONDS = 1_000;
/** Of the builds of one day. */
const MAX_NAMES = 10_000;
/** How many requests for unknown names wait for the list at once; further ones are answered without it. */
const MAX_WAITING = 500;
/** Other versions' files that are kept in memory: those of two or three builds. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

export interface SharedAssets {
  /**
   * A file of another version, which puts its files into the database before it takes requests. `null` if there is none.
   * Rejects while the database is away.
   */
  find(path: string): Promise<StaticFile | null>;
  stop(): void;
}

/**
 * Gives the hashed files of this process's build to the processes of other versions, and takes theirs: during a rolling
 * upgrade, and for a day after, a page of one version may be followed by a request for its files to the other
 * (decision 0057). Resolves when they are in the database.
 */
export async function shareAssets(
  { db, log }: { db: Database; log: Log },
  files: readonly StaticFile[],
): Promise<SharedAssets> {
  const own = files.filter(({ path }) => isHashed(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  await share();
  const renewal = createBackgroundLoop(share, {
    pauseMilliseconds: RENEW_MILLISECONDS,
    onError: (error) => log.warn({ error }, "the scripts and styles of this version could not be renewed"),
  });
  const firstRenewal = setTimeout(() => void renewal.start(), RENEW_MILLISECONDS).unref();

  const stop = () => {
    clearTimeout(firstRenewal);
    void renewal.stop();
  };
  return { find: createFinder(db), stop };

  async function share(): Promise<void> {
    const there = new Set(await renew(db, own));
    const missing = own.filter(({ path }) => !there.has(path));
    if (missing.length > 0) await add(db, missing);
    await deleteInBatches(db, { table: assets, condition: sql`${assets.usedAt} < now() - ${KEPT}` });
  }
}

/** @returns which of them are in the database already, and stay */
async function renew(db: Database, own: readonly StaticFile[]): Promise<string[]> {
  const isOwn = sql`${assets.path} = ANY (${sql.param(own.map(({ path }) => path))})`;
  // Locked in one order, as `add` does, so that no two processes wait for each other.
  const { rows } = await db.execute<{ path: string }>(sql`
    WITH stale AS (
      SELECT path FROM ${assets} WHERE ${isOwn} AND ${assets.usedAt} < now() - ${FRESH} ORDER BY path FOR UPDATE
    ), renewed AS (
      UPDATE ${assets} SET used_at = now() FROM stale WHERE ${assets.path} = stale.path RETURNING ${assets.path}
    )
    SELECT path FROM ${assets} WHERE ${isOwn} AND ${assets.usedAt} >= now() - ${FRESH}
    UNION ALL SELECT path FROM renewed`);
  return rows.map(({ path }) => path);
}

async function add(db: Database, missing: readonly StaticFile[]): Promise<void> {
  await db
    .insert(assets)
    .values(
      missing.map(({ path, identity, br, gzip }) => ({
        ...{ path, br, gzip },
        plain: identity,
        type: typeOf(path) ?? "",
      })),
    )
    // The same name is the same content: another process has just added it.
    .onConflictDoUpdate({ target: assets.path, set: { usedAt: sql`now()` } });
}

/** Asks for a file only if its name is on a list, and for the list at most once a second. */
function createFinder(db: Database): SharedAssets["find"] {
  let names = new Set<string>();
  let listedAt = 0;
  /** The list that is about to be asked for. One that is being read is no answer: it may be a moment too old. */
  let nextList: Promise<void> | null = null;
  let waiting = 0;
  const loading = new Map<string, Promise<StaticFile | null>>();
  const kept = new Map<string, StaticFile>();
  let keptBytes = 0;

  return async function find(path) {
    if (!names.has(path) && waiting < MAX_WAITING) {
      waiting++;
      nextList ??= list();
      await nextList.finally(() => waiting--);
    }
    return names.has(path) ? (kept.get(path) ?? load(path)) : null;
  };

  async function list(): Promise<void> {
    await sleep(Math.max(0, listedAt + LIST_MILLISECONDS - performance.now()));
    listedAt = performance.now();
    nextList = null;
    const { rows } = await db.execute<{ path: string }>(
      sql`SELECT path FROM ${assets} ORDER BY ${assets.usedAt} DESC LIMIT ${MAX_NAMES}`,
    );
    names = new Set(rows.map(({ path }) => path));
  }

  /** Requests for the same file share one query. */
  function load(path: string): Promise<StaticFile | null> {
    const found =
      loading.get(path) ??
      read(db, path)
        .then((file) => {
          if (!file) names.delete(path);
          return keep(file);
        })
        .finally(() => loading.delete(path));
    loading.set(path, found);
    return found;
  }

  /** Forgets the ones that came first once they are too many. */
  function keep(file: StaticFile | null): StaticFile | null {
    if (!file) return null;
    kept.set(file.path, file);
    keptBytes += sizeOf(file);
    for (const [path, oldest] of kept) {
      if (keptBytes <= MAX_KEPT_BYTES || oldest === file) break;
      kept.delete(path);
      keptBytes -= sizeOf(oldest);
    }
    return file;
  }
}

/** Only of a type that we serve, by its name, whatever its row says. */
async function read(db: Database, path: string): Promise<StaticFile | null> {
  const [row] = await db.select().from(assets).where(eq(assets.path, path));
  return row && typeOf(path) ? { path, identity: row.plain, br: row.br, gzip: row.gzip } : null;
}

const sizeOf = ({ identity, br, gzip }: StaticFile) =>
  identity.byteLength + (br?.byteLength ?? 0) + (gzip?.byteLength ?? 0);
