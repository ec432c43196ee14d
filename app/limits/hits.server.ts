import { sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import { createGatherer, patienceOver } from "../db/gather.server.ts";
import { onePerDatabase } from "../db/per-database.server.ts";
import { givenRows, prepareStatement } from "../db/prepared.server.ts";
import type { Limit } from "./limit.ts";

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
  const rows = await countHits(db, {
    keys: hits.map(({ key }) => key),
    counts: windows.map(({ count }) => count),
    seconds: windows.map(({ seconds }) => seconds),
    longest: Math.max(...windows.map(({ seconds }) => seconds)),
  });
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return hits.map(({ key }) => {
    const row = byKey.get(key);
    if (!row) throw new Error("an upsert always returns its row");
    return row;
  });
}

/** When every window has room: once the hit at position `count` from the end has left it. `NULL`: they have room. */
const freeAt = sql`(
  SELECT max(bucket.hits[cardinality(bucket.hits) + 1 - most] + make_interval(secs => within))
  FROM ${givenRows({ counts: "int", seconds: "int" })} AS limit_window (most, within))`;
const longest = sql`make_interval(secs => ${sql.placeholder("longest")}::int)`;

// Locked in the order of their keys, so that no two statements wait for each other.
const countHits = prepareStatement<CountedHit & { key: string }, "keys" | "counts" | "seconds" | "longest">(
  "count_hits",
  () => sql`
    INSERT INTO rate_limits AS bucket (key, hits, expires_at)
    SELECT key, ARRAY[now()], now() + ${longest} FROM ${givenRows({ keys: "text" })} AS given (key)
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
          ${freeAt} AS free_at
      ) AS now_or_later
    )
    RETURNING
      key,
      hits[cardinality(hits)] AS hit,
      coalesce(${freeAt} > now(), false) AS is_last,
      ceil(extract(epoch FROM wait_until - now()))::int AS wait_seconds`,
);

/** Takes hits back; a bucket that is gone comes back empty, for the next sweep. */
async function refundAll(db: Database, refunds: readonly Refund[]): Promise<void> {
  await refundHits(db, { keys: refunds.map(({ key }) => key), hits: refunds.map(({ hit }) => hit) });
}

// By the conflict and not by a join, for which a planner that has never seen the table full reads all of it.
const refundHits = prepareStatement<never, "keys" | "hits">(
  "refund_hits",
  () => sql`
    INSERT INTO rate_limits AS bucket (key, hits, expires_at)
    SELECT DISTINCT key, '{}'::timestamptz[], now() FROM ${givenRows({ keys: "text" })} AS given (key)
    ORDER BY key
    ON CONFLICT (key) DO UPDATE SET hits = ARRAY(
      SELECT hit FROM unnest(bucket.hits) AS hit
      WHERE NOT EXISTS (
        SELECT FROM ${givenRows({ keys: "text", hits: "timestamptz" })} AS refund (key, hit)
        WHERE refund.key = bucket.key AND refund.hit = hit.hit
      )
      ORDER BY hit
    )`,
);
