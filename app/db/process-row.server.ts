import { hostname } from "node:os";
import type { Pool } from "pg";
import { createBackgroundLoop } from "../background-loop.server.ts";

/** Between two renewals, in milliseconds: whoever looks for processes believes a row for some minutes. */
const RENEW_MILLISECONDS = 30_000;

/** The row by which others know of this process (table `processes`), until it is removed. */
export interface ProcessRow {
  remove(): Promise<void>;
}

/**
 * Tells whoever looks which processes there are: as a row that is renewed while this one lives, and removed when it ends. One that was
 * killed stays as last seen, for a day, so that it can be missed.
 */
export async function keepProcessRow(
  pool: Pick<Pool, "query">,
  { id, role, version }: { id: string; role: "web" | "worker" | "all"; version: string },
  log: { warn(fields: object, message: string): void },
): Promise<ProcessRow> {
  const loop = createBackgroundLoop(renew, {
    pauseMilliseconds: RENEW_MILLISECONDS,
    onError: (error) => log.warn({ error }, "the row of this process could not be renewed"),
  });
  await loop.start();

  /** Written anew if it is gone, as after a backup was restored. */
  async function renew(): Promise<void> {
    await pool.query(
      `WITH trimmed AS (DELETE FROM processes WHERE seen_at < now() - interval '1 day')
       INSERT INTO processes (id, role, version, host) VALUES ($1, $2, $3, $4)
       ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
      [id, role, version, hostname()],
    );
  }

  return {
    async remove() {
      await loop.stop();
      await pool.query("DELETE FROM processes WHERE id = $1", [id]);
    },
  };
}
