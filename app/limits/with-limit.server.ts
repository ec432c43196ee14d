import type { App } from "../http/context.server.ts";
import type { Limit } from "./limits.ts";
import { takeTurn } from "./rate-limit.server.ts";
import { type TooMany, tooMany } from "./too-many-requests.server.ts";

/**
 * Does something within a limit. The turn is taken before the work starts, so that of any number at once no more than
 * the limit allows do it, and given back when the work throws: what broke on our side must not count against anybody.
 * A limit that counts only failures gets its turn back after a success, too.
 *
 * @param who as `takeTurn` has it
 * @param work is told whether this was the last turn for now; `{ok: true}` is a success
 * @returns what the work returns. Failures: 429 past the limit
 */
export async function withLimit<Done>(
  app: Pick<App, "config" | "db" | "log">,
  limit: Limit,
  who: string,
  work: (turn: { isLast: boolean }) => Promise<Done>,
): Promise<Done | TooMany> {
  const turn = await takeTurn(app, limit, who);
  if (!turn.ok) return tooMany(turn.waitSeconds);
  try {
    const done = await work(turn);
    if (limit.countsOnlyFailures && isSuccess(done)) await refund();
    return done;
  } catch (error) {
    // A thrown response is an answer like any other.
    if (!(error instanceof Response)) await refund();
    throw error;
  }

  /** The work is done or has failed by itself: that its turn could not be given back changes neither. */
  async function refund(): Promise<void> {
    if (!turn.ok) return;
    await turn.giveBack().catch((error: unknown) => {
      app.log.warn(
        { error, limit: limit.name },
        "a turn could not be given back; it counts until its time is over",
      );
    });
  }
}

function isSuccess(done: unknown): boolean {
  return typeof done === "object" && done !== null && "ok" in done && done.ok === true;
}
