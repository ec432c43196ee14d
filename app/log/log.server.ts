import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";
import { pino } from "pino";
import { isDatabaseAway } from "../db/database-away.server.ts";
import type { CurrentWork, Work } from "../telemetry/work.server.ts";

export type Log = ReturnType<typeof createLog>;

/** What else a line may need, and whom it concerns. */
export interface LogContext {
  /** The request or job that is under way. */
  currentWork: CurrentWork;
  /** Told of every entry, those included that are counted rather than written. */
  onEntry(level: "debug" | "info" | "warn" | "error"): void;
}

/**
 * JSON lines on standard output. Pass a caught exception as `error`: it is reduced to what tells the cause, without
 * query parameters, row values or headers. Lines that are written during a request or job have its `id`, and an error becomes part
 * of its trace.
 *
 * The levels: `error`, act now; `warn`, look at it some day; `info`, what happened; `debug`, while searching.
 *
 * Repetitions of an error within a minute are counted and written as one line with `count`. Errors of one request have
 * its `id`, which the user may have been shown, and are always written. When the database is away, without a stack.
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

/**
 * Limits repeated log lines to one a minute. The first line with a key is written at once; further ones are counted
 * and written as one line when the minute is over.
 *
 * @returns a function to call for each line; it calls `write` with the number of lines that this one represents
 */
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

/** In the trace, as far as it may be logged. */
function recordException(work: Work | undefined, { type, message, stack }: ErrorDescription): void {
  work?.span?.recordException({ name: type, message, ...(stack && { stack }) });
}

/** Bounds the walk along `cause`, which may be circular. */
const MAX_CAUSE_DEPTH = 4;

/** The innermost cause that says that the database is away, if any: the errors around it add nothing. */
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

/** The parts of an error that may be logged. An allowlist, because any other field may hold a secret. */
function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error))
    return { type: typeof error, message: "something was thrown that is no error" };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return {
    type: error.constructor.name,
    message: safeMessage(error),
    code,
    // Without the message it begins with, which may contain lines that look like frames.
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

/**
 * An error as one line of at most 200 characters that may be stored in a row: type, code and message; for a failed
 * query those of its cause.
 */
export function summarizeError(error: unknown): string {
  if (error instanceof DrizzleQueryError && error.cause) return summarizeError(error.cause);
  if (!(error instanceof Error)) return "something was thrown that is no error";
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  return `${error.constructor.name}${code}: ${safeMessage(error)}`.slice(0, 200);
}

/** An error's message without values that may identify a person. */
function safeMessage(error: Error): string {
  // Drizzle includes the parameters, among them addresses and tokens.
  if (error instanceof DrizzleQueryError) return `Failed query: ${error.query}`;
  // Data exceptions quote the invalid value: https://www.postgresql.org/docs/current/errcodes-appendix.html
  if (error instanceof DatabaseError && error.code?.startsWith("22")) return "a value was not taken";
  // Stripe and mail servers quote email addresses.
  return error.message.replaceAll(/[^\s"'<>()=:,;]+@[^\s"'<>()=:,;]+/g, "(address)");
}
