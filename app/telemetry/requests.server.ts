import type { IncomingMessage, ServerResponse } from "node:http";
import type { Meters } from "./metrics.ts";
import type { Tracer } from "./tracer.server.ts";
import { type CurrentWork, newWorkId } from "./work.server.ts";

const NO_ROUTE = "(none)";
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The client was gone; nginx writes the same. */
const CLIENT_GONE = 499;

export interface RequestNotes {
  /** In the answer, the log, on the error page and of the trace. */
  id: string;
  method: string;
  /** A pattern, never the path, which may hold secrets. */
  route: string;
  actor?: string;
  /** A file, or a page from memory: one in a hundred is logged. */
  isFrequent?: boolean;
  /** Logged at `debug`, such as a health check. */
  isQuiet?: boolean;
}

interface Counted {
  labels: { method: string; route: string; status: string };
  count: number;
}

interface RequestLog {
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

/** Writes a log line, counters and a trace for each request. */
export function createRequests(
  currentWork: CurrentWork,
  parts: { log: RequestLog; meters: Meters; tracer: Tracer; sample: number },
) {
  const { log, meters, tracer, sample } = parts;
  const fromMemory = new Map<string, Map<number, Counted>>();
  let frequent = 0;
  let inProgress = 0;

  return {
    begin,
    countFromMemory,
    flush,
    inProgress: () => inProgress,
  };

  /** Notes are complete when the response has been sent or its client is gone. */
  function begin(
    { method: sent = "" }: IncomingMessage,
    response: ServerResponse,
    answer: (notes: RequestNotes) => void,
  ): void {
    const method = METHODS.has(sent) ? sent : "other";
    const notes: RequestNotes = { id: newWorkId(), method, route: NO_ROUTE };
    const startedAt = performance.now();
    const span = tracer.begin(notes.id, method, "request");
    inProgress++;
    response.once("close", () => {
      inProgress--;
      const { id, route, actor } = notes;
      const status = response.headersSent ? response.statusCode : CLIENT_GONE;
      const milliseconds = performance.now() - startedAt;
      meters.record("http_requests_total", { method, route, status: String(status) });
      meters.record("http_request_duration_seconds", { method, route }, milliseconds / 1000);
      span?.updateName(`${method} ${route}`).setAttributes({
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": status,
        ...(actor && { "user.id": actor }),
      });
      if (status >= 500) span?.setStatus({ code: ERROR_STATUS });
      span?.end();
      if (notes.isFrequent && status < 500 && !isDue()) return;
      const line = {
        id,
        method,
        route,
        status,
        ms: Math.round(milliseconds * 10) / 10,
        ...(actor && { actor }),
        ...(notes.isFrequent && sample > 1 && { sample }),
        // The client was gone before it had all of the answer.
        ...(!response.writableFinished && { aborted: true }),
      };
      if (notes.isQuiet) log.debug(line, "request");
      else log.info(line, "request");
    });
    const patience = {
      startedAt,
      lateMilliseconds: 0,
      get isAnswered() {
        return response.headersSent;
      },
    };
    currentWork.run({ id: notes.id, span, patience }, answer, notes);
  }

  /** Pages from memory are so many that even their counters are only added up. */
  function countFromMemory(route: string, isHead: boolean, status: number): void {
    const method = isHead ? "HEAD" : "GET";
    // A number as the key: no text is put together for each request.
    const key = isHead ? -status : status;
    const known = fromMemory.get(route)?.get(key);
    if (known) known.count++;
    else {
      const counts = fromMemory.get(route) ?? new Map<number, Counted>();
      fromMemory.set(route, counts.set(key, { labels: { method, route, status: String(status) }, count: 1 }));
    }
    if (isDue())
      log.info({ id: newWorkId(), method, route, status, ...(sample > 1 && { sample }) }, "request");
  }

  function flush(): void {
    for (const each of [...fromMemory.values()].flatMap((counts) => [...counts.values()])) {
      meters.record("http_requests_total", each.labels, each.count);
      each.count = 0;
    }
  }

  function isDue(): boolean {
    frequent = (frequent + 1) % sample;
    return frequent === 0;
  }
}

/** SpanStatusCode.ERROR, whose module is loaded only with traces. */
const ERROR_STATUS = 2;
