import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";

/** Where packages put PostgreSQL's programs without adding them to PATH. */
const USUAL_PLACES = [
  "/usr/lib/postgresql/*/bin",
  "/usr/pgsql-*/bin",
  "/usr/local/pgsql/bin",
  "/opt/homebrew/opt/{postgresql@*,libpq}/bin",
];
/** What libpq knows of what a URL may say: with anything else it refuses the whole. */
const KNOWN_PARAMETERS = [
  ...["sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslnegotiation", "channel_binding"],
  ...["application_name", "connect_timeout", "host", "options", "target_session_attrs", "gssencmode"],
];
/** In characters: enough for what a program complains about. */
const MAX_COMPLAINT = 2_000;

export interface Programs {
  folder: string;
  /** Their version, such as 18. */
  version: number;
}

/** A program of PostgreSQL's is missing, or has failed, in words for the operator. */
export class ProgramError extends Error {
  override name = "ProgramError";
}

/**
 * Finds pg_dump and pg_restore that know this version of PostgreSQL. Of several it takes the oldest that do, which says
 * nothing that the database does not understand.
 *
 * @param chosenFolder looked in alone, if there is one
 * @returns `null` when there are none
 */
export async function findPrograms(atLeast: number, chosenFolder: string | null): Promise<Programs | null> {
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const folders = chosenFolder
    ? [chosenFolder]
    : [...path, ...USUAL_PLACES.flatMap((place) => globSync(place))];
  const found: Programs[] = [];
  for (const folder of new Set(folders)) {
    if (!["pg_dump", "pg_restore"].every((name) => existsSync(join(folder, name)))) continue;
    const version = await versionIn(folder);
    if (version >= atLeast) found.push({ folder, version });
  }
  return found.sort((a, b) => a.version - b.version)[0] ?? null;
}

/** @returns 0 when it cannot be run */
async function versionIn(folder: string): Promise<number> {
  const { stdout } = await promisify(execFile)(join(folder, "pg_dump"), ["--version"]).catch(() => ({
    stdout: "",
  }));
  return Number(/(\d+)[.\w]*/.exec(stdout)?.[1] ?? 0);
}

export function explainMissing(atLeast: number, chosenFolder: string | null): string {
  const where = chosenFolder ? ` in ${chosenFolder} (PG_BIN)` : "";
  return (
    `pg_dump and pg_restore ${atLeast} or newer are needed and not found${where}. Debian, Ubuntu: apt install ` +
    `postgresql-client-${atLeast} (from apt.postgresql.org, if your release is older); macOS: brew install libpq; or set ` +
    "PG_BIN to their folder"
  );
}

/**
 * Starts a program of PostgreSQL's on a database. The password is not among its arguments, which others on the machine see.
 *
 * @returns its streams, and what ends when it has ended: well, or with a ProgramError that says what it complained about
 */
export function startProgram(
  { folder }: Programs,
  name: "pg_dump" | "pg_restore",
  url: string,
  args: readonly string[],
  signal?: AbortSignal,
) {
  const { address, password } = toLibpq(url);
  const child = spawn(join(folder, name), [...args, "--no-password", `--dbname=${address}`], {
    env: { ...process.env, PGPASSWORD: password, LC_ALL: "C" },
    stdio: ["pipe", "pipe", "pipe"],
    signal,
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    if (complaint.length < MAX_COMPLAINT) complaint += chunk;
  });
  // It ends before it has read all only when something is wrong, of which it tells.
  child.stdin.on("error", () => {});
  const ended = once(child, "close").then(([code]) => {
    if (code !== 0) throw new ProgramError(`${name} failed: ${complaint.trim().slice(0, MAX_COMPLAINT)}`);
  });
  // Whoever waits for it later still learns of it.
  ended.catch(() => {});
  // Taken up at once: what nobody reads by the time a program has ended, Node throws away.
  return { input: child.stdin, output: child.stdout.pipe(new PassThrough()), ended };
}

function toLibpq(url: string): { address: string; password: string } {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = "";
  for (const name of [...address.searchParams.keys()])
    if (!KNOWN_PARAMETERS.includes(name)) address.searchParams.delete(name);
  // The driver's own word for encryption without a look at the certificate.
  if (address.searchParams.get("sslmode") === "no-verify") address.searchParams.set("sslmode", "require");
  return { address: address.href, password };
}
