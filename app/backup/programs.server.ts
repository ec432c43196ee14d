import { execFile, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { PassThrough, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { BackupError } from "./encryption.server.ts";

/** Where packages install PostgreSQL's programs outside PATH. */
const USUAL_PLACES = [
  "/usr/lib/postgresql/*/bin",
  "/usr/pgsql-*/bin",
  "/usr/local/pgsql/bin",
  "/opt/homebrew/opt/{postgresql@*,libpq}/bin",
];
/** With any other parameter in a URL, libpq refuses the whole. */
const KNOWN_PARAMETERS = `sslmode sslrootcert sslcert sslkey sslcrl sslnegotiation channel_binding
  application_name connect_timeout host options target_session_attrs gssencmode`.split(/\s+/);
/** In characters. */
const MAX_COMPLAINT = 2_000;

export interface Programs {
  folder: string;
  version: number;
}

/** The oldest that know this version: newer ones may say what the database does not understand. */
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

/** 0 when it cannot be run */
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

type Program = ReturnType<typeof startProgram>;

/** The password is not among its arguments, which others on the machine see. */
export function startOnDatabase(
  { folder }: Programs,
  name: "pg_dump" | "pg_restore",
  url: string,
  args: readonly string[],
  signal?: AbortSignal,
): Program {
  const { address, password } = toLibpq(url);
  const env = { ...process.env, PGPASSWORD: password, LC_ALL: "C" };
  return startProgram(join(folder, name), [...args, "--no-password", `--dbname=${address}`], { env, signal });
}

/** `ended` rejects with a BackupError of what the program complained about. */
export function startProgram(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "uid" | "gid"> & { signal: AbortSignal | undefined },
) {
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    if (complaint.length < MAX_COMPLAINT) complaint += chunk;
  });
  // A closed pipe: `ended` says why.
  child.stdin.on("error", () => {});
  const ended = once(child, "close").then(([code]) => {
    if (code !== 0)
      throw new BackupError(`${basename(command)} failed: ${complaint.trim().slice(0, MAX_COMPLAINT)}`);
  });
  ended.catch(() => {});
  // Buffered at once: Node drops what is unread when the program has ended.
  return { input: child.stdin, output: child.stdout.pipe(new PassThrough()), ended };
}

const CLOSED_PIPE = new Set(["EPIPE", "ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"]);

/** @throws what broke the content off, or else the program's BackupError */
export async function feed(
  { input, output, ended }: Program,
  content: AsyncIterable<Buffer>,
  ...stages: Transform[]
): Promise<void> {
  output.resume();
  const [fed, ran] = await Promise.allSettled([pipeline([content, ...stages, input]), ended]);
  // A program that has ended reads no more: its result counts.
  if (fed.status === "rejected" && !CLOSED_PIPE.has(fed.reason?.code)) throw fed.reason;
  if (ran.status === "rejected") throw ran.reason;
}

function toLibpq(url: string): { address: string; password: string } {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = "";
  for (const name of [...address.searchParams.keys()])
    if (!KNOWN_PARAMETERS.includes(name)) address.searchParams.delete(name);
  // The driver's own word for encryption without checking the certificate.
  if (address.searchParams.get("sslmode") === "no-verify") address.searchParams.set("sslmode", "require");
  return { address: address.href, password };
}
