import { sql } from "drizzle-orm";
import { createBackgroundLoop } from "../background-loop.server.ts";
import type { Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { isProgram, OTHER_HOSTS, referringHost } from "./visitors.ts";

/** How long a view is only in memory. What a process counted in its last seconds is lost when it is killed. */
const FLUSH_MILLISECONDS = 15_000;
/** Maximum distinct pages and hosts between two flushes: a client can send any Referer. */
const MAX_COUNTS = 200;
/** Rows of a day, among all processes; about, because they count at once. */
const MAX_ROWS_A_DAY = 500;

/** The headers of a view: a browser or not, and the page it came from. */
export interface ViewedFrom {
  referrer: string | undefined;
  userAgent: string | undefined;
}

/**
 * Counts views of pages, as sums by day, page and the host that led there: nothing about who looked (privacy page). In memory,
 * so that a page served from there costs no more; written every FLUSH_MILLISECONDS, and when the process stops.
 *
 * @param pages the paths that are counted
 * @param ownHosts hosts of ours, in lower case
 */
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
    /** Counts one view, unless a program asked. @param page a path; others than `pages` are not counted */
    count(page: string, { referrer, userAgent }: ViewedFrom): void {
      if (counted.has(page) && !isProgram(userAgent))
        add({ page, host: referringHost(referrer, own), count: 1 });
    },
    start,
    async stop(): Promise<void> {
      await stop();
      await flush().catch((error: unknown) => log.warn({ error }, "the last views of pages are lost"));
    },
  };

  /** At most MAX_COUNTS hosts are counted apart; all others together, by page. */
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

/** The views of a page that came from one host. */
interface Sum {
  page: string;
  host: string;
  count: number;
}

/** Adds views to today's sums. On a day that has its rows, hosts it does not have yet are counted together. */
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
