import { DatabaseError } from "pg";
import type { DatabasePatience } from "../telemetry/work.server.ts";
import { DatabaseAwayError } from "./database-away.server.ts";

/** A query, or what waits for a connection. */
interface Wait {
  /** How long it may take, in milliseconds; `Infinity` outside of a request. */
  milliseconds: number;
  /** Called when it is over. */
  end(error?: unknown): void;
}

/** Starts a wait for the database. @throws DatabaseAwayError when the request under way has no time left */
export type StartWait = () => Wait;

const UNLIMITED: Wait = { milliseconds: Number.POSITIVE_INFINITY, end() {} };

/**
 * Keeps all queries of a request within one time. What it asks later, because Stripe was slow for example, has `last` in all: a
 * database that works is quicker, and what Stripe has done must be written down. Once the database has not answered it, a request
 * asks nothing more.
 *
 * @param current the request under way, if there is one
 * @param limits in milliseconds: `request` from its start
 */
export function limitWaits(
  current: () => DatabasePatience | undefined,
  { request, last }: { request: number; last: number },
): StartWait {
  return () => {
    const patience = current();
    if (!patience || patience.isAnswered) return UNLIMITED;
    const startedAt = performance.now();
    const deadline = patience.startedAt + request;
    if (patience.lateMilliseconds >= last)
      throw new DatabaseAwayError("the database has not answered this request in time");
    return {
      milliseconds: Math.max(deadline - startedAt, last - patience.lateMilliseconds),
      end(error) {
        const isUnanswered = error && !(error instanceof DatabaseError);
        const late = performance.now() - Math.max(startedAt, deadline);
        patience.lateMilliseconds += isUnanswered ? Number.POSITIVE_INFINITY : Math.max(late, 0);
      },
    };
  };
}
