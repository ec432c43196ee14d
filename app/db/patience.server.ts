import { DatabaseError } from "pg";
import type { DatabasePatience } from "../telemetry/work.server.ts";
import { DatabaseAwayError } from "./database-away.server.ts";

/** For a query or a connection. */
interface Wait {
  /** `Infinity` outside of a request. */
  milliseconds: number;
  end(error?: unknown): void;
}

/** @throws DatabaseAwayError when the current request has no time left */
export type StartWait = () => Wait;

const UNLIMITED: Wait = { milliseconds: Number.POSITIVE_INFINITY, end() {} };

/**
 * Keeps all queries of a request within one time. Later ones, after a slow answer of Stripe's for example, have `last` in all, because
 * what Stripe has done must be stored. Once the database has not answered, a request asks nothing more.
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
