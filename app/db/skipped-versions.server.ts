import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "pg";

/** Processes are running that the pending migrations would take something from, with what to do about it. */
export class SkippedVersionError extends Error {
  override name = "SkippedVersionError";
}

/** A process renews its row more often than this, so that one not seen for as long was killed. */
const SEEN = "interval '2 minutes'";

/**
 * A contract takes away what the version before it no longer uses. Where that version was skipped, older processes may be
 * running that do: they have to be stopped first.
 *
 * @param pending the names of the migrations that would be made
 * @throws SkippedVersionError if there are such processes
 */
export async function refuseToSkipVersions(
  client: Client,
  pending: readonly string[],
  folder: string,
): Promise<void> {
  const contracts = pending.filter((tag) => {
    const sql = readFileSync(join(folder, `${tag}.sql`), "utf8");
    const stoppedUsing = [...sql.matchAll(/^\s*-- contract of (\d{4})\b/gm)].map(([, number = ""]) => number);
    return pending.some((skipped) => stoppedUsing.includes(skipped.slice(0, 4)));
  });
  if (contracts.length === 0 || !(await hasProcesses(client))) return;
  const { rows } = await client.query<{ running: string | null }>(
    `SELECT string_agg(DISTINCT format('%s (%s)', host, version), ', ') AS running FROM processes
     WHERE seen_at > now() - ${SEEN}`,
  );
  const running = rows[0]?.running;
  if (!running) return;
  throw new SkippedVersionError(
    `${contracts.join(", ")} takes away what processes that are running still use: ${running}. Upgrade to the version in ` +
      "between first, or stop them all. One that was killed counts for two minutes",
  );
}

async function hasProcesses(client: Client): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regclass('public.processes') IS NOT NULL AS found");
  return rows[0]?.found === true;
}
