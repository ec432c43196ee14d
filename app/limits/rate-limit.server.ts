import { createHmac } from "node:crypto";
import { and, eq, gt, sql } from "drizzle-orm";
import type { Outlived } from "../db/delete-batches.server.ts";
import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { HOUR, type Limit, MINUTE } from "./limit.ts";
import { rateLimits } from "./schema.ts";

/**
 * Runs the work within a limit. The hit is counted before the work starts, so that concurrent requests cannot exceed the
 * limit, and refunded when the work throws, because our own errors must not count against a user. A limit with
 * `countsOnlyFailures` is refunded after a success as well.
 *
 * @param who as in `consumeLimit`
 * @param work receives whether this was the last hit for now; a result of `{ok: true}` is a success
 * @returns what the work returns. Failures: 429 past the limit
 */
export function withLimit<Done>(
  app: Pick<App, "config" | "db" | "log">,
  limit: Limit,
  who: string,
  work: (consumed: { isLast: boolean }) => Promise<Done>,
): Promise<Done | TooManyRequests> {
  return withLimits(app, [{ limit, who }], work);
}

/**
 * The same within several limits, which are counted one after the other, so that what one refuses takes nobody's place in the next.
 *
 * @param work receives whether this was the last hit for now in one of them
 */
export async function withLimits<Done>(
  app: Pick<App, "config" | "db" | "log">,
  limits: readonly { limit: Limit; who: string }[],
  work: (consumed: { isLast: boolean }) => Promise<Done>,
): Promise<Done | TooManyRequests> {
  const counted: { limit: Limit; isLast: boolean; refund: () => Promise<void> }[] = [];
  try {
    for (const { limit, who } of limits) {
      const consumed = await consumeLimit(app, limit, who);
      if (!consumed.ok) {
        // Nothing was tried: it counts nowhere.
        await refundAll(counted);
        return tooManyRequests(app, consumed.retryAfterSeconds);
      }
      counted.push({ limit, ...consumed });
    }
    const done = await work({ isLast: counted.some(({ isLast }) => isLast) });
    if (isSuccess(done)) await refundAll(counted.filter(({ limit }) => limit.countsOnlyFailures));
    return done;
  } catch (error) {
    // A thrown response is a regular outcome.
    if (!(error instanceof Response)) await refundAll(counted);
    throw error;
  }

  /** Never rejects: a failed refund must not change the outcome of the work. One after the other: a request has one query at a time. */
  async function refundAll(hits: readonly { limit: Limit; refund: () => Promise<void> }[]): Promise<void> {
    for (const { limit, refund } of hits)
      await refund().catch((error: unknown) => {
        app.log.warn(
          { error, limit: limit.name },
          "a limit could not be refunded; it counts until its time is over",
        );
      });
  }
}

function isSuccess(done: unknown): boolean {
  return typeof done === "object" && done !== null && "ok" in done && done.ok === true;
}

/** The failure past a limit, with the wait in words and in seconds. */
export interface TooManyRequests extends Failure {
  headers: Record<string, string>;
  retryAfterSeconds: number;
}

/** Where limits are wider than in production it also says how to clear them. */
export function tooManyRequests(
  { config }: { config: Pick<App["config"], "limitsTimes"> },
  retryAfterSeconds: number,
): TooManyRequests {
  const clearing =
    config.limitsTimes > 1 ? ". In this sandbox, npm run ops -- limits clear ends the wait" : "";
  return {
    ...failure(429, `Wait ${inWords(retryAfterSeconds)} and try again${clearing}`),
    headers: { "Retry-After": String(retryAfterSeconds) },
    retryAfterSeconds,
  };
}

/** Seconds up to two minutes, then minutes up to two hours, then hours, rounded up. */
function inWords(seconds: number): string {
  if (seconds === 1) return "1 second";
  if (seconds <= 2 * MINUTE) return `${seconds} seconds`;
  if (seconds <= 2 * HOUR) return `${Math.ceil(seconds / MINUTE)} minutes`;
  return `${Math.ceil(seconds / HOUR)} hours`;
}

/** A hit that was counted, whether it was the last one for now, and how to undo it; or how long to wait. */
export type LimitResult =
  | { ok: true; isLast: boolean; refund: () => Promise<void> }
  | { ok: false; retryAfterSeconds: number };

/**
 * Counts a hit if every window of the limit has room: of any number of concurrent requests exactly `count` pass
 * (decision 0022). Refused hits are not counted, so that retrying after the given wait succeeds.
 *
 * @param who a client, a user or an address, always in the same form
 */
export async function consumeLimit(
  app: Pick<App, "config" | "db">,
  limit: Limit,
  who: string,
): Promise<LimitResult> {
  const key = keyOf(app, limit, who);
  const { hit, isLast, waitSeconds } = await countHit(app, key, limit);
  if (waitSeconds !== null) return { ok: false, retryAfterSeconds: waitSeconds };
  return {
    ok: true,
    isLast,
    // A bucket that is gone by now has nothing to take back.
    refund: async () => {
      await app.db
        .update(rateLimits)
        .set({ hits: sql`array_remove(${rateLimits.hits}, ${hit}::timestamptz)` })
        .where(eq(rateLimits.key, key));
    },
  };
}

/** What came of a hit: its time, as text, because a Date would lose the microseconds; or how long to wait until there is room. */
type CountedHit = { hit: string; isLast: boolean; waitSeconds: number | null };

/**
 * One upsert. Within a bucket the times of hits are unique and ascending, in whatever order requests arrive. A time therefore
 * identifies a hit.
 */
async function countHit({ config, db }: Pick<App, "config" | "db">, key: string, { windows }: Limit) {
  const longest = sql`make_interval(secs => ${Math.max(...windows.map(({ seconds }) => seconds))}::int)`;
  // When every window has room: once the hit at position `count` from the end has left it. `NULL`: they have room.
  const freeAt = sql`greatest(${sql.join(
    windows.map(
      ({
        count,
        seconds,
      }) => sql`bucket.hits[cardinality(bucket.hits) + 1 - ${count * config.limitsTimes}::int]
        + make_interval(secs => ${seconds}::int)`,
    ),
    sql`, `,
  )})`;
  const { rows } = await db.execute<CountedHit>(sql`
    INSERT INTO ${rateLimits} AS bucket (key, hits, expires_at) VALUES (${key}, ARRAY[now()], now() + ${longest})
    ON CONFLICT (key) DO UPDATE SET (hits, wait_until, expires_at) = (
      SELECT
        CASE WHEN free_at > at THEN bucket.hits
          ELSE ARRAY(SELECT hit FROM unnest(bucket.hits) AS hit WHERE hit > at - ${longest} ORDER BY hit) || at END,
        CASE WHEN free_at > at THEN free_at END,
        CASE WHEN free_at > at THEN bucket.expires_at ELSE at + ${longest} END
      FROM (
        SELECT greatest(now(), bucket.hits[cardinality(bucket.hits)] + interval '1 microsecond') AS at, ${freeAt} AS free_at
      ) AS now_or_later
    )
    RETURNING
      hits[cardinality(hits)] AS hit,
      coalesce(${freeAt} > now(), false) AS "isLast",
      ceil(extract(epoch FROM wait_until - now()))::int AS "waitSeconds"`);
  const [counted] = rows;
  if (!counted) throw new Error("an upsert always returns its row");
  return counted;
}

/** Whether a hit of `who` counts still. */
export async function hasHits(app: Pick<App, "config" | "db">, limit: Limit, who: string): Promise<boolean> {
  const found = await app.db
    .select({ key: rateLimits.key })
    .from(rateLimits)
    .where(and(eq(rateLimits.key, keyOf(app, limit, who)), gt(rateLimits.expiresAt, sql`now()`)));
  return found.length > 0;
}

/** Deletes every hit counted for `who`, after a password reset for example. */
export async function resetLimit(app: Pick<App, "config" | "db">, limit: Limit, who: string): Promise<void> {
  await app.db.delete(rateLimits).where(eq(rateLimits.key, keyOf(app, limit, who)));
}

/** Buckets whose hits have left every window. */
export const EXPIRED_LIMITS: Outlived = {
  table: rateLimits,
  condition: sql`${rateLimits.expiresAt} <= now()`,
};

/** An HMAC, so that the key identifies nobody without the secret. */
function keyOf({ config }: Pick<App, "config">, { name }: Limit, who: string): string {
  return `${name}:${createHmac("sha256", config.authSecret).update(`${name}:${who}`).digest("base64url")}`;
}
