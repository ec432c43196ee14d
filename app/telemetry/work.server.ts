import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Span } from "@opentelemetry/api";

/** What a process is at: a request or a run of a job. Whatever is awaited in it finds it. */
export interface Work {
  /** A trace id as W3C has them, by which the log, the answer, the error page and the trace can be told to belong together. */
  id: string;
  /** The one under way, while traces are made. */
  span?: Span | undefined;
  /** Of a request. A job has none: it may wait as long for each of its queries as the pool allows. */
  patience?: DatabasePatience;
}

/** How long a request may still wait for the database, whatever it asks: see db/patience.server.ts. */
export interface DatabasePatience {
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** Whether the answer has begun. What goes on after it, such as a download, waits as a job does. */
  readonly isAnswered: boolean;
  /** For how long it has waited past its time; `Infinity` once the database has not answered it. */
  lateMilliseconds: number;
}

/** One for a process, made by serve.server.ts and handed over. */
export type CurrentWork = AsyncLocalStorage<Work>;

export function createCurrentWork(): CurrentWork {
  return new AsyncLocalStorage();
}

/** A trace id: 32 hexadecimal digits (https://www.w3.org/TR/trace-context/#trace-id). */
export function newWorkId(): string {
  return randomUUID().replaceAll("-", "");
}
