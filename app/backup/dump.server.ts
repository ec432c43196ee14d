import { Client } from "pg";
import { feed, type Programs, startOnDatabase } from "./programs.server.ts";

const TABLES = `
  SELECT format('%I.%I', nspname, relname) AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname !~ '^pg_(toast|temp)'
  ORDER BY 1`;

/** On a connection of its own. */
export async function withClient<Done>(url: string, work: (client: Client) => Promise<Done>): Promise<Done> {
  const client = await openClient(url);
  return work(client).finally(() => client.end().catch(() => {}));
}

/** Its statements have no timeout. */
export async function openClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true });
  client.on("error", () => {});
  await client.connect();
  await client.query(
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0",
  );
  return client;
}

export async function countRows(client: Pick<Client, "query">): Promise<Record<string, number>> {
  const { rows: tables } = await client.query<{ name: string }>(TABLES);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*)::float8 AS count FROM ${name}`);
    counts[name] = rows[0]?.count ?? 0;
  }
  return counts;
}

export interface Archive {
  content: AsyncIterable<Buffer>;
  /** At the moment of the content; known once that has been read to its end. */
  rows: Promise<Record<string, number>>;
}

/** A consistent pg_dump archive, and the rows of the same snapshot to compare a restore with. */
export async function withDump<Done>(
  url: string,
  programs: Programs,
  use: (archive: Archive) => Promise<Done>,
  signal?: AbortSignal,
): Promise<Done> {
  return withClient(url, async (client) => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const { rows: snapshots } = await client.query<{ id: string }>("SELECT pg_export_snapshot() AS id");
    const dump = startOnDatabase(
      programs,
      "pg_dump",
      url,
      // The restore gives the rights anew, for the roles of its own server.
      ["--format=custom", "--no-owner", "--no-privileges", `--snapshot=${snapshots[0]?.id}`, "--compress=1"],
      signal,
    );
    dump.input.end();
    const rows = countRows(client);
    rows.catch(() => {});
    async function* content() {
      yield* dump.output as AsyncIterable<Buffer>;
      // Throws when pg_dump failed: its output is then not whole.
      await dump.ended;
    }
    return use({ content: content(), rows });
  });
}

/** Into an empty database, as the role of the URL: all of it or nothing. @throws BackupError when pg_restore refuses */
export async function restoreDump(
  url: string,
  programs: Programs,
  content: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<void> {
  const args = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"];
  await feed(startOnDatabase(programs, "pg_restore", url, args, signal), content);
}
