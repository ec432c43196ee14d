import { sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import { createGatherer, patienceOver } from "../db/gather.server.ts";
import { onePerDatabase } from "../db/per-database.server.ts";
import { executePrepared } from "../db/prepared.server.ts";
import type { Limit } from "./limit.ts";
import { rateLimits } from "./schema.ts";

/** Buckets of a statement: more make it no quicker, and each waits for all of them. */
const MOST_AT_ONCE = 64;
/** Statements under way at a time: of one limit never more than one. */
const STATEMENTS_AT_ONCE = 6;

/** A hit that is to be counted in a bucket, if every window of the limit has room. */
interface Hit {
  key: string;
  limit: Limit;
}

/** What came of it. */
type CountedHit = {
  /** Its time as text, because a Date would lose the microseconds; of a refused one, that of the latest that was counted. */
  hit: string;
  is_last: boolean;
  /** Until there is room; `null` when it was counted. */
  wait_seconds: number | null;
};

/** A hit of a bucket that is not to count any more. */
interface Refund {
  key: string;
  hit: string;
}

interface Hits {
  count(hit: Hit): Promise<CountedHit>;
  refund(refund: Refund): Promise<void>;
}

/** Counts hits, and takes them back: those that arrive together in one statement, and so in one commit (decision 0071). */
export const countedOver = onePerDatabase((db): Hits => {
  const options = { most: MOST_AT_ONCE, ...patienceOver(db) };
  const count = createGatherer<Hit, CountedHit>({
    ...options,
    atOnce: STATEMENTS_AT_ONCE,
    laneOf: ({ limit }) => limit.name,
    run: (hits) => countAll(db, hits),
  });
  const refund = createGatherer<Refund, void>({
    ...options,
    atOnce: 1,
    run: async (refunds) => {
      await refundAll(db, refunds);
      return refunds.map(() => undefined);
    },
  });
  const underWay = new Map<string, number>();
  return {
    count: aloneIfBusy(underWay, count, (hit) => first(countAll(db, [hit]))),
    refund: aloneIfBusy(underWay, refund, (one) => refundAll(db, [one])),
  };
});

/** A bucket that somebody keeps busy holds up nobody but themselves: what comes while it is in use goes alone. */
function aloneIfBusy<Item extends { key: string }, Answer>(
  underWay: Map<string, number>,
  together: (item: Item) => Promise<Answer>,
  alone: (item: Item) => Promise<Answer>,
): (item: Item) => Promise<Answer> {
  return (item) => {
    const others = underWay.get(item.key) ?? 0;
    underWay.set(item.key, others + 1);
    return (others > 0 ? alone : together)(item).finally(() => {
      const left = (underWay.get(item.key) ?? 1) - 1;
      if (left > 0) underWay.set(item.key, left);
      else underWay.delete(item.key);
    });
  };
}

async function first<Answer>(answers: Promise<Answer[]>): Promise<Answer> {
  const [answer] = await answers;
  if (!answer) throw new Error("an upsert always returns its row");
  return answer;
}

/**
 * Counts a hit in each bucket, of which no two are the same and all are of one limit.
 *
 * Within a bucket the times of hits are unique and ascending, in whatever order requests arrive. A time therefore
 * identifies a hit.
 */
async function countAll(db: Database, hits: readonly Hit[]): Promise<CountedHit[]> {
  const { windows = [] } = hits[0]?.limit ?? {};
  const longest = sql`make_interval(secs => ${Math.max(...windows.map(({ seconds }) => seconds))}::int)`;
  const counts = sql.param(windows.map(({ count }) => count));
  const seconds = sql.param(windows.map(({ seconds }) => seconds));
  // When every window has room: once the hit at position `count` from the end has left it. `NULL`: they have room.
  const freeAt = (bucket: string) => sql`(
    SELECT max((${sql.raw(bucket)}.hits)[cardinality(${sql.raw(bucket)}.hits) + 1 - most] + make_interval(secs => within))
    FROM unnest(${counts}::int[], ${seconds}::int[]) AS limit_window (most, within))`;
  const rows = await executePrepared<CountedHit & { key: string }>(
    db,
    "count_hits",
    // Locked in the order of their keys, so that no two statements wait for each other.
    sql`
    INSERT INTO rate_limits AS bucket (key, hits, expires_at)
    SELECT key, ARRAY[now()], now() + ${longest} FROM unnest(${sql.param(hits.map(({ key }) => key))}::text[]) AS key
    ORDER BY key
    ON CONFLICT (key) DO UPDATE SET (hits, wait_until, expires_at) = (
      SELECT
        CASE WHEN free_at > at THEN bucket.hits
          ELSE ARRAY(SELECT hit FROM unnest(bucket.hits) AS hit WHERE hit > at - ${longest} ORDER BY hit) || at END,
        CASE WHEN free_at > at THEN free_at END,
        CASE WHEN free_at > at THEN bucket.expires_at ELSE at + ${longest} END
      FROM (
        SELECT
          greatest(now(), bucket.hits[cardinality(bucket.hits)] + interval '1 microsecond') AS at,
          ${freeAt("bucket")} AS free_at
      ) AS now_or_later
    )
    RETURNING
      key,
      hits[cardinality(hits)] AS hit,
      coalesce(${freeAt("bucket")} > now(), false) AS is_last,
      ceil(extract(epoch FROM wait_until - now()))::int AS wait_seconds`,
  );
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return hits.map(({ key }) => {
    const row = byKey.get(key);
    if (!row) throw new Error("an upsert always returns its row");
    return row;
  });
}

async function refundAll(db: Database, refunds: readonly Refund[]): Promise<void> {
  await executePrepared(
    db,
    "refund_hits",
    sql`
    WITH refund AS (
      SELECT key, array_agg(hit) AS hits
      FROM unnest(
        ${sql.param(refunds.map(({ key }) => key))}::text[], ${sql.param(refunds.map(({ hit }) => hit))}::timestamptz[]
      ) AS one (key, hit) GROUP BY key
    ), locked AS MATERIALIZED (
      SELECT key FROM ${rateLimits} WHERE key = ANY (${sql.param(refunds.map(({ key }) => key))}::text[]) ORDER BY key FOR UPDATE
    )
    UPDATE ${rateLimits} AS bucket
    SET hits = ARRAY(SELECT hit FROM unnest(bucket.hits) AS hit WHERE hit <> ALL (refund.hits) ORDER BY hit)
    FROM refund JOIN locked USING (key) WHERE bucket.key = locked.key`,
  );
}
