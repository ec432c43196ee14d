import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";
import { pino } from "pino";
import { isDatabaseAway } from "../db/database-away.server.ts";
import type { CurrentWork, Work } from "../telemetry/work.server.ts";

export type Log = ReturnType<typeof createLog>;

export interface LogContext {
  currentWork: CurrentWork;
  /** Including entries that are counted rather than written. */
  onEntry(level: "debug" | "info" | "warn" | "error"): void;
}

/**
 * JSON lines on standard output, with the `id` of their request or job. A caught exception, passed as `error`, is reduced to what tells
 * the cause, without query parameters, row values or headers, and becomes part of the trace.
 * Levels: `error`, act now; `warn`, look at it some day; `info`, what happened; `debug`, while searching.
 * Repetitions of an error within a minute are one line with `count`; errors of a request, whose `id` its user may have been shown, are
 * always written.
 */
export function createLog(
  level: pino.LevelWithSilent,
  destination?: pino.DestinationStream,
  context?: LogContext,
) {
  const throttle = createLogThrottle();
  const options: pino.LoggerOptions = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: {
      logMethod(args, write, number) {
        context?.onEntry(this.levels.labels[number] as "debug");
        const work = context?.currentWork.getStore();
        const [first, message] = (typeof args[0] === "string" ? [{}, args[0]] : args) as [object, string?];
        const fields = work ? { id: work.id, ...first } : first;
        if (!("error" in fields)) return write.apply(this, [fields, message]);
        const away = findDatabaseAway(fields.error);
        const error = describeError(away ?? fields.error);
        recordException(work, error);
        const writeCounted = (count: number) => {
          const shown = away || count > 1 ? { ...error, stack: undefined } : error;
          write.apply(this, [{ ...fields, ...(count > 1 && { count }), error: shown }, message]);
        };
        if ("id" in first) writeCounted(1);
        else throttle(JSON.stringify([message, { ...error, stack: undefined }]), writeCounted);
      },
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

const MINUTE_MILLISECONDS = 60_000;

/** The first line with a key is written at once, the others counted. @returns calls `write` with how many this one represents */
function createLogThrottle() {
  const recent = new Map<string, { count: number; write: (count: number) => void }>();

  return function throttle(key: string, write: (count: number) => void): void {
    const known = recent.get(key);
    if (known) {
      known.count++;
      known.write = write;
      return;
    }
    const pending = { count: 0, write };
    recent.set(key, pending);
    write(1);
    const timer = setInterval(() => {
      if (pending.count > 0) pending.write(pending.count);
      else {
        clearInterval(timer);
        recent.delete(key);
      }
      pending.count = 0;
    }, MINUTE_MILLISECONDS);
    timer.unref();
  };
}

function recordException(work: Work | undefined, { type, message, stack }: ErrorDescription): void {
  work?.span?.recordException({ name: type, message, ...(stack && { stack }) });
}

/** `cause` may be circular. */
const MAX_CAUSE_DEPTH = 4;

/** The errors around it add nothing. */
function findDatabaseAway(error: unknown, depth = 0): unknown {
  const inner =
    error instanceof Error && depth < MAX_CAUSE_DEPTH ? findDatabaseAway(error.cause, depth + 1) : undefined;
  return inner ?? (isDatabaseAway(error) ? error : undefined);
}

interface ErrorDescription {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: ErrorDescription;
}

/** An allowlist, because any other field may hold a secret. */
function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error))
    return { type: typeof error, message: "something was thrown that is no error" };
  return {
    type: error.constructor.name,
    message: safeMessage(error),
    code: codeOf(error),
    // Without the message, which may contain lines that look like frames.
    stack: error.stack
      ?.replace(error.message, "")
      .match(/^ {4}at .*$/gm)
      ?.join("\n"),
    cause:
      error.cause === undefined || depth === MAX_CAUSE_DEPTH
        ? undefined
        : describeError(error.cause, depth + 1),
  };
}

/** At most 200 characters, for a row; for a failed query those of its cause. */
export function summarizeError(error: unknown): string {
  if (error instanceof DrizzleQueryError && error.cause) return summarizeError(error.cause);
  if (!(error instanceof Error)) return "something was thrown that is no error";
  const kind = [error.constructor.name, codeOf(error)].filter(Boolean).join(" ");
  return `${kind}: ${safeMessage(error)}`.slice(0, 200);
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Without values that may identify a person. */
function safeMessage(error: Error): string {
  // Drizzle includes the parameters, among them addresses and tokens.
  if (error instanceof DrizzleQueryError) return `Failed query: ${error.query}`;
  // Data exceptions quote the invalid value: https://www.postgresql.org/docs/current/errcodes-appendix.html
  if (error instanceof DatabaseError && error.code?.startsWith("22")) return "a value was not taken";
  // Stripe and mail servers quote email addresses.
  return error.message.replaceAll(/[^\s"'<>()=:,;]+@[^\s"'<>()=:,;]+/g, "(address)");
}
