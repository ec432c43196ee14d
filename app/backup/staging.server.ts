import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "pg";
import { isRunning, siteUrlOf, startCluster, stopCluster, urlOf } from "../db/embedded-cluster.server.ts";
import type { PostgresHome } from "../db/embedded-home.server.ts";
import { unpackCluster } from "./cluster-copy.server.ts";
import { openClient, restoreDump } from "./dump.server.ts";
import { BackupError } from "./encryption.server.ts";
import type { Programs } from "./programs.server.ts";

/** Beside the database in use. */
export interface Staging {
  ownerUrl: string;
  siteUrl: string;
  /** Makes it the database that the settings name. @returns the new name of the replaced one */
  putInPlace(): Promise<string | null>;
  close(): Promise<void>;
}

const REPLACED = "_replaced_";

type Purpose = "checking" | "restoring";

export function databaseNameOf(url: string): string {
  const { pathname, username } = new URL(url);
  return decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username);
}

export function withDatabaseName(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${encodeURIComponent(name)}` }).href;
}

/** On the server that the URLs name. @throws BackupError when the role may not create one, or another command is at it */
export async function stageDump(
  urls: { ownerUrl: string; siteUrl: string },
  purpose: Purpose,
  programs: Programs,
  content: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<Staging> {
  const target = databaseNameOf(urls.ownerUrl);
  const name = `${target.slice(0, 40)}_${purpose}`;
  const client = await openClient(besideUrl(urls.ownerUrl));
  let isInPlace = false;
  const quotedName = client.escapeIdentifier(name);
  async function close(): Promise<void> {
    if (!isInPlace) await client.query(`DROP DATABASE IF EXISTS ${quotedName} WITH (FORCE)`).catch(() => {});
    await client.end().catch(() => {});
  }
  try {
    await claim(client, name);
    // Left by a killed run.
    await client.query(`DROP DATABASE IF EXISTS ${quotedName} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${quotedName} TEMPLATE template0 ENCODING 'UTF8'`);
    await restoreDump(withDatabaseName(urls.ownerUrl, name), programs, content, signal);
  } catch (error) {
    await close();
    throw explained(error, decodeURIComponent(new URL(urls.ownerUrl).username));
  }
  return {
    ownerUrl: withDatabaseName(urls.ownerUrl, name),
    siteUrl: withDatabaseName(urls.siteUrl, name),
    close,
    async putInPlace() {
      const former = await exchange(client, name, target);
      isInPlace = true;
      return former;
    },
  };
}

/** In one transaction, so that there is always one of that name. @returns the new name of the one before; `null`: there was none */
export async function exchange(client: Client, name: string, target: string): Promise<string | null> {
  const { rowCount: exists } = await client.query("SELECT FROM pg_database WHERE datname = $1", [target]);
  const former = `${target.slice(0, 40)}${REPLACED}${timestamp()}`;
  const rename = (from: string, to: string) =>
    client.query(`ALTER DATABASE ${client.escapeIdentifier(from)} RENAME TO ${client.escapeIdentifier(to)}`);
  await client.query("BEGIN");
  try {
    if (exists) await rename(target, former);
    await rename(name, target);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
  return exists ? former : null;
}

/** Another database of the server: one cannot be renamed, or made, from within. */
export function besideUrl(url: string): string {
  return withDatabaseName(url, databaseNameOf(url) === "postgres" ? "template1" : "postgres");
}

async function claim(client: Client, name: string): Promise<void> {
  const { rows } = await client.query("SELECT pg_try_advisory_lock(hashtext($1)) AS is_ours", [
    `staging ${name}`,
  ]);
  if (!rows[0]?.is_ours)
    throw new BackupError("another command is checking or restoring a backup of this database just now");
}

function explained(error: unknown, role: string): unknown {
  if (!(error instanceof Error && "code" in error && error.code === "42501")) return error;
  return new BackupError(
    `the role “${role}” may not create a database, which is needed to unpack a backup. As a superuser: ` +
      `ALTER ROLE "${role}" CREATEDB`,
  );
}

/** On a port of its own. */
export async function stageCluster(
  home: PostgresHome,
  purpose: Purpose,
  content: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<Staging> {
  await sweepStaged(home);
  const staged = stagedHome(home, `${purpose}.${process.pid}`);
  let isInPlace = false;
  async function close(): Promise<void> {
    if (!isInPlace) await remove(staged);
  }
  try {
    await unpackCluster(staged, content, signal);
    const ownerUrl = urlOf(staged, await startCluster(staged));
    return {
      ownerUrl,
      siteUrl: siteUrlOf(ownerUrl),
      close,
      async putInPlace() {
        await stop(staged);
        const former = existsSync(home.cluster) ? `${home.cluster}.replaced-${timestamp()}` : null;
        if (former) renameSync(home.cluster, former);
        renameSync(staged.cluster, home.cluster);
        isInPlace = true;
        return former;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function stagedHome(home: PostgresHome, name: string): PostgresHome {
  return { ...home, cluster: `${home.cluster}.${name}`, logFile: join(home.folder, `${name}.log`) };
}

/** Left by killed runs, with the server in it. */
async function sweepStaged(home: PostgresHome): Promise<void> {
  if (!existsSync(home.folder)) return;
  for (const found of readdirSync(home.folder)) {
    const [, name, pid] = /^cluster\.((?:checking|restoring)\.(\d+))$/.exec(found) ?? [];
    if (name && !isRunning(Number(pid))) await remove(stagedHome(home, name));
  }
}

async function remove(staged: PostgresHome): Promise<void> {
  await stop(staged);
  for (const path of [staged.cluster, staged.logFile]) rmSync(path, { recursive: true, force: true });
}

async function stop(staged: PostgresHome): Promise<void> {
  if (existsSync(join(staged.cluster, "postmaster.pid"))) await stopCluster(staged).catch(() => {});
}

function timestamp(): string {
  return new Date().toISOString().slice(0, 19).replaceAll(/[-:T]/g, "");
}
