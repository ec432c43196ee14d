import { sql } from "drizzle-orm";
import { createBackgroundLoop } from "../background-loop.server.ts";
import type { Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { isProgram, OTHER_HOSTS, referringHost } from "./visitors.ts";

/** Lost if the process is killed. */
const FLUSH_MILLISECONDS = 15_000;
/** Distinct pages and hosts between two flushes: a client can send any Referer. */
const MAX_COUNTS = 200;
/** About, because processes count at once. */
const MAX_ROWS_A_DAY = 500;

/** Nothing about who looked (privacy page). In memory, written every FLUSH_MILLISECONDS. @param ownHosts in lower case */
export function createViewCounter(
  { db, log }: Pick<App, "db" | "log">,
  { pages, ownHosts }: { pages: readonly string[]; ownHosts: Iterable<string> },
) {
  const counted = new Set(pages);
  const own = new Set([...ownHosts].map((host) => host.replace(/^www\./, "")));
  let views = new Map<string, Sum>();
  const { start, stop } = createBackgroundLoop(flush, {
    pauseMilliseconds: FLUSH_MILLISECONDS,
    onError: (error) => log.warn({ error }, "views of pages could not be written; they are kept for later"),
  });

  return {
    /** Unless a program asked. Other paths than `pages` are not counted. */
    count(page: string, { referrer, userAgent }: Record<"referrer" | "userAgent", string | undefined>): void {
      if (counted.has(page) && !isProgram(userAgent))
        add({ page, host: referringHost(referrer, own), count: 1 });
    },
    start,
    async stop(): Promise<void> {
      await stop();
      await flush().catch((error: unknown) => log.warn({ error }, "the last views of pages are lost"));
    },
  };

  /** At most MAX_COUNTS hosts apart; all others together, by page. */
  function add({ page, host, count }: Sum): void {
    const isApart = views.size < MAX_COUNTS || views.has(`${page} ${host}`);
    const kept = isApart ? host : OTHER_HOSTS;
    const key = `${page} ${kept}`;
    views.set(key, { page, host: kept, count: count + (views.get(key)?.count ?? 0) });
  }

  async function flush(): Promise<void> {
    const taken = [...views.values()];
    if (taken.length === 0) return;
    views = new Map();
    try {
      await writeViews(db, taken);
    } catch (error) {
      taken.forEach(add);
      throw error;
    }
  }
}

interface Sum {
  page: string;
  host: string;
  count: number;
}

/** After MAX_ROWS_A_DAY, new hosts are counted together. */
async function writeViews(db: Queryable, rows: readonly Sum[]): Promise<void> {
  await db.execute(sql`
    WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day),
    counted AS (SELECT page, referrer FROM page_views JOIN today USING (day)),
    viewed AS (
      SELECT page, CASE
          WHEN host = '' OR (SELECT count(*) FROM counted) < ${MAX_ROWS_A_DAY}::int
            OR EXISTS (SELECT FROM counted WHERE counted.page = views.page AND counted.referrer = views.host)
          THEN host ELSE ${OTHER_HOSTS} END AS referrer, count
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS views (page text, host text, count bigint)
    )
    INSERT INTO page_views (day, page, referrer, views)
    SELECT day, page, referrer, sum(count) FROM viewed, today GROUP BY day, page, referrer
    -- In one order, so that two processes never wait for each other.
    ORDER BY page, referrer
    ON CONFLICT (day, page, referrer) DO UPDATE SET views = page_views.views + excluded.views`);
}
