import type { App } from "../http/context.server.ts";
import type { Limit } from "./limit.ts";
import { consumeLimit } from "./rate-limit.server.ts";
import { type TooManyRequests, tooManyRequests } from "./too-many-requests.server.ts";

/**
 * Does something within a limit. It is counted before the work starts, so that of any number at once no more than the
 * limit allows do it, and refunded when the work throws: what broke on our side must not count against anybody. A
 * limit that counts only failures is refunded after a success, too.
 *
 * @param who as in `consumeLimit`
 * @param work is told whether this was the last one for now; `{ok: true}` is a success
 * @returns what the work returns. Failures: 429 past the limit
 */
export async function withLimit<Done>(
  app: Pick<App, "config" | "db" | "log">,
  limit: Limit,
  who: string,
  work: (consumed: { isLast: boolean }) => Promise<Done>,
): Promise<Done | TooManyRequests> {
  const consumed = await consumeLimit(app, limit, who);
  if (!consumed.ok) return tooManyRequests(consumed.retryAfterSeconds);
  try {
    const done = await work(consumed);
    if (limit.countsOnlyFailures && isSuccess(done)) await tryRefund(consumed.refund);
    return done;
  } catch (error) {
    // A thrown response is an answer like any other.
    if (!(error instanceof Response)) await tryRefund(consumed.refund);
    throw error;
  }

  /** The work is done or has failed by itself: a refund that fails changes neither. */
  async function tryRefund(refund: () => Promise<void>): Promise<void> {
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
