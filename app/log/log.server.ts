import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";
import { pino } from "pino";
import { isDatabaseAway } from "../db/database-away.server.ts";
import { createRepeats } from "./log-throttle.server.ts";

export type Log = ReturnType<typeof createLog>;

/**
 * JSON lines on standard output. What went wrong goes under `error`, and is cut down to what tells the cause: no
 * query parameters, no values of rows, no headers.
 *
 * The same trouble again within a minute is counted instead of written, and so said once a minute, with `count`. What
 * failed for one request has that request's `id`, which somebody may have been told, and is always written; where all
 * there is to know is that the database is away, without a stack.
 */
export function createLog(level: pino.LevelWithSilent, destination?: pino.DestinationStream) {
  const sayOrCount = createRepeats();
  const options: pino.LoggerOptions = {
    level,
    hooks: {
      logMethod(args, write) {
        const [fields, message] = args as [unknown, string?];
        if (typeof fields !== "object" || fields === null || !("error" in fields))
          return write.apply(this, args);
        const away = databaseTrouble(fields.error);
        const error = describeError(away ?? fields.error);
        const say = (count: number) => {
          const shown = away || count > 1 ? { ...error, stack: undefined } : error;
          write.apply(this, [{ ...fields, ...(count > 1 && { count }), error: shown }, message]);
        };
        if ("id" in fields) say(1);
        else sayOrCount(JSON.stringify([message, { ...error, stack: undefined }]), say);
      },
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Causes may go round in a circle. */
const DEEPEST_CAUSE = 4;

/** The innermost cause that says that the database is away, if there is one: nothing else about it needs to be known. */
function databaseTrouble(error: unknown, depth = 0): unknown {
  const inner =
    error instanceof Error && depth < DEEPEST_CAUSE ? databaseTrouble(error.cause, depth + 1) : undefined;
  return inner ?? (isDatabaseAway(error) ? error : undefined);
}

interface ErrorDescription {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: ErrorDescription;
}

/** Of an error what may stand in a log. Everything else it carries is left out, as a new field may hold a secret. */
function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error))
    return { type: typeof error, message: "something was thrown that is no error" };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return {
    type: error.constructor.name,
    message: safeMessage(error),
    code,
    // Without the message, which it begins with and which may have lines that look like it.
    stack: error.stack
      ?.replace(error.message, "")
      .match(/^ {4}at .*$/gm)
      ?.join("\n"),
    cause:
      error.cause === undefined || depth === DEEPEST_CAUSE
        ? undefined
        : describeError(error.cause, depth + 1),
  };
}

/** An error in one line of at most 200 characters that may be kept with a row: type, code and message; of a failed query, those of its cause. */
export function summariseError(error: unknown): string {
  if (error instanceof DrizzleQueryError && error.cause) return summariseError(error.cause);
  if (!(error instanceof Error)) return "something was thrown that is no error";
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  return `${error.constructor.name}${code}: ${safeMessage(error)}`.slice(0, 200);
}

/** What an error says of itself, without the values that others put into their messages. */
function safeMessage(error: Error): string {
  // Drizzle writes the parameters into its message, among them addresses and tokens.
  if (error instanceof DrizzleQueryError) return `Failed query: ${error.query}`;
  // Data exceptions quote what they could not read: https://www.postgresql.org/docs/current/errcodes-appendix.html
  if (error instanceof DatabaseError && error.code?.startsWith("22")) return "a value was not taken";
  // Stripe and mail servers quote addresses.
  return error.message.replaceAll(/[^\s"'<>()=:,;]+@[^\s"'<>()=:,;]+/g, "(address)");
}
