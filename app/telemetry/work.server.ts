import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Span } from "@opentelemetry/api";

/** A request or a run of a job. Whatever is awaited in it finds it. */
export interface Work {
  /** A W3C trace id, shared by the log, the answer, the error page and the trace. */
  id: string;
  span?: Span | undefined;
  /** A job has none: it may wait for each query as long as the pool allows. */
  patience?: DatabasePatience;
}

/** See db/patience.server.ts. */
export interface DatabasePatience {
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** What goes on after the answer has begun, such as a download, waits as a job does. */
  readonly isAnswered: boolean;
  /** Waited beyond its time; `Infinity` once the database has not answered. */
  lateMilliseconds: number;
}

export type CurrentWork = AsyncLocalStorage<Work>;

export function createCurrentWork(): CurrentWork {
  return new AsyncLocalStorage();
}

/** 32 hexadecimal digits (https://www.w3.org/TR/trace-context/#trace-id). */
export function newWorkId(): string {
  return randomUUID().replaceAll("-", "");
}
