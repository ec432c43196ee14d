import { hostname } from "node:os";
import { sql } from "drizzle-orm";
import { createBackgroundLoop } from "../background-loop.server.ts";
import type { Queryable } from "./client.server.ts";

/** Whoever looks for processes believes a row for some minutes. */
const RENEW_MILLISECONDS = 30_000;

/** What others know a process by. */
export interface ProcessFacts {
  id: string;
  role: "web" | "worker" | "all";
  version: string;
}

/**
 * Keeps the row of a process in table `processes` from `start` to `stop`. Written anew if it is gone, as after a backup was
 * restored. A process that was killed stays as last seen, for a day, so that it can be missed.
 */
export function createProcessRow(
  db: Queryable,
  { id, role, version }: ProcessFacts,
  onError: (error: unknown) => void,
) {
  const loop = createBackgroundLoop(
    () =>
      db.execute(sql`
        WITH trimmed AS (DELETE FROM processes WHERE seen_at < now() - interval '1 day')
        INSERT INTO processes (id, role, version, host) VALUES (${id}, ${role}, ${version}, ${hostname()})
        ON CONFLICT (id) DO UPDATE SET seen_at = now()`),
    { pauseMilliseconds: RENEW_MILLISECONDS, onError },
  );
  return {
    /** Resolves once it is written. */
    start: loop.start,
    async stop() {
      await loop.stop();
      await db.execute(sql`DELETE FROM processes WHERE id = ${id}`);
    },
  };
}
