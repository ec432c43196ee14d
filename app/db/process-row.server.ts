import { hostname } from "node:os";
import { sql } from "drizzle-orm";
import { createBackgroundLoop } from "../background-loop.server.ts";
import type { Queryable } from "./client.server.ts";
import type { processes } from "./schema.ts";

const RENEW_MILLISECONDS = 30_000;
/** One not seen for longer was killed, or cannot reach the database. */
export const SEEN_SECONDS = 90;

/** Inserts the row again if it is gone, as after a restore. That of a killed process stays for a day, so that it is noticed. */
export function createProcessRow(
  db: Queryable,
  { id, role, version }: Pick<typeof processes.$inferInsert, "id" | "role" | "version">,
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
    start: loop.start,
    async stop() {
      await loop.stop();
      await db.execute(sql`DELETE FROM processes WHERE id = ${id}`);
    },
  };
}
