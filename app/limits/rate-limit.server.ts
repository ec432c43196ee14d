import { createHmac } from "node:crypto";
import { and, eq, gt, sql } from "drizzle-orm";
import { isDatabaseAway } from "../db/database-away.server.ts";
import type { ExpiredRows } from "../db/delete-batches.server.ts";
import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { HOUR, type Limit, MINUTE, type PlainLimit } from "./limit.ts";
import { rateLimits } from "./schema.ts";

/**
 * Counts a hit before the work, so that concurrent requests cannot exceed the limit, and refunds it when the work throws, because our
 * own errors must not count against a user.
 * @param who as in `consumeLimit`. Failures: 429 past the limit
 */
export async function withLimit<Done>(
  app: Pick<App, "config" | "db" | "log">,
  limit: PlainLimit,
  who: string,
  work: () => Promise<Done>,
): Promise<Done | TooManyRequests> {
  const outcome = await withLimits(app, [{ limit, who }], async () => ({ ok: true, done: await work() }));
  return "done" in outcome ? outcome.done : outcome;
}

/** Counted in order. A hit that one of them refuses counts in none; with `countsOnlyFailures` a success is refunded, too. */
export async function withLimits<Done extends { ok: boolean }>(
  app: Pick<App, "config" | "db" | "log">,
  limits: readonly { limit: Limit; who: string }[],
  work: () => Promise<Done>,
): Promise<Done | TooManyRequests> {
  const counted: { limit: Limit; refund: () => Promise<void> }[] = [];
  try {
    for (const { limit, who } of limits) {
      const consumed = await consumeLimit(app, limit, who);
      if (!consumed.ok) {
        await refund(counted);
        return tooManyRequests(app, consumed.retryAfterSeconds);
      }
      counted.push({ limit, refund: consumed.refund });
    }
    const done = await work();
    if (done.ok) await refund(counted.filter(({ limit }) => limit.countsOnlyFailures));
    return done;
  } catch (error) {
    // A thrown response is a regular outcome.
    if (!(error instanceof Response)) await refund(counted);
    throw error;
  }

  /** Never rejects: a failed refund must not change the outcome of the work. */
  async function refund(hits: typeof counted): Promise<void> {
    for (const { limit, refund } of hits)
      await refund().catch((error: unknown) => {
        // Logged once a minute, not for each request.
        if (isDatabaseAway(error)) return;
        app.log.warn(
          { error, limit: limit.name },
          "a limit could not be refunded; it counts until its time is over",
        );
      });
  }
}

export interface TooManyRequests extends Failure {
  headers: Record<string, string>;
  retryAfterSeconds: number;
}

/** Where limits are wider than in production, the message also says how to clear them. */
export function tooManyRequests(
  { config }: { config: Pick<App["config"], "limitsTimes"> },
  retryAfterSeconds: number,
): TooManyRequests {
  const clearing =
    config.limitsTimes > 1 ? ". In this sandbox, npm run ops -- limits clear ends the wait" : "";
  return {
    ...failure(429, `Wait ${formatWait(retryAfterSeconds)} and try again${clearing}`),
    headers: { "Retry-After": String(retryAfterSeconds) },
    retryAfterSeconds,
  };
}

/** Seconds up to two minutes, then minutes up to two hours, then hours, rounded up. */
function formatWait(seconds: number): string {
  if (seconds === 1) return "1 second";
  if (seconds <= 2 * MINUTE) return `${seconds} seconds`;
  if (seconds <= 2 * HOUR) return `${Math.ceil(seconds / MINUTE)} minutes`;
  return `${Math.ceil(seconds / HOUR)} hours`;
}

/**
 * Of any number of concurrent requests exactly `count` pass (decision 0022). Refused hits are not counted, so that retrying after the
 * wait succeeds. One upsert: a bucket's times are unique and ascending, so a time identifies a hit.
 * @param who a client, a user or an address, always in the same form
 * @returns whether it was the last one for now and how to undo it; or how long to wait
 */
export async function consumeLimit(
  app: Pick<App, "config" | "db">,
  limit: Limit,
  who: string,
): Promise<
  { ok: true; isLast: boolean; refund: () => Promise<void> } | { ok: false; retryAfterSeconds: number }
> {
  const { db, config } = app;
  const key = keyOf(app, limit, who);
  const longest = longestWindow(limit);
  // A window has room once the hit at position `count` from the end has left it; `NULL`: it has.
  const windows = limit.windows.map(({ count, seconds }) => {
    const position = sql`cardinality(bucket.hits) + 1 - ${count * config.limitsTimes}::int`;
    return sql`bucket.hits[${position}] + make_interval(secs => ${seconds}::int)`;
  });
  const freeAt = sql`greatest(${sql.join(windows, sql`, `)})`;
  // As text, because a Date would lose the microseconds.
  const { rows } = await db.execute<{ hit: string; isLast: boolean; waitSeconds: number | null }>(sql`
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
  const { hit, isLast, waitSeconds } = counted;
  if (waitSeconds !== null) return { ok: false, retryAfterSeconds: waitSeconds };
  // An expired bucket has nothing to refund.
  const hits = sql`array_remove(${rateLimits.hits}, ${hit}::timestamptz)`;
  const refund = async () => {
    await db.update(rateLimits).set({ hits }).where(eq(rateLimits.key, key));
  };
  return { ok: true, isLast, refund };
}

/** SQL: an interval. */
function longestWindow({ windows }: Limit) {
  return sql`make_interval(secs => ${Math.max(...windows.map(({ seconds }) => seconds))}::int)`;
}

/** For a limit that refuses nothing: its time starts anew with each hit. */
export async function renewHit(app: Pick<App, "config" | "db">, limit: Limit, who: string): Promise<void> {
  const hit = { hits: sql`ARRAY[now()]`, expiresAt: sql`now() + ${longestWindow(limit)}` };
  await app.db
    .insert(rateLimits)
    .values({ key: keyOf(app, limit, who), ...hit })
    .onConflictDoUpdate({ target: rateLimits.key, set: hit });
}

export async function hasHits(app: Pick<App, "config" | "db">, limit: Limit, who: string): Promise<boolean> {
  const found = await app.db
    .select({ key: rateLimits.key })
    .from(rateLimits)
    .where(and(eq(rateLimits.key, keyOf(app, limit, who)), gt(rateLimits.expiresAt, sql`now()`)));
  return found.length > 0;
}

/** Such as after a password reset. */
export async function resetLimit(app: Pick<App, "config" | "db">, limit: Limit, who: string): Promise<void> {
  await app.db.delete(rateLimits).where(eq(rateLimits.key, keyOf(app, limit, who)));
}

export const EXPIRED_LIMITS: ExpiredRows = {
  table: rateLimits,
  condition: sql`${rateLimits.expiresAt} <= now()`,
};

/** Reveals no person without the secret. */
function keyOf({ config }: Pick<App, "config">, { name }: Limit, who: string): string {
  return `${name}:${createHmac("sha256", config.authSecret).update(`${name}:${who}`).digest("base64url")}`;
}
