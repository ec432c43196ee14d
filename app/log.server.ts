import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";
import { pino } from "pino";
import type { Config } from "./config.server.ts";

export type Log = ReturnType<typeof createLog>;

/**
 * JSON lines on standard output. What went wrong goes under `error`, and is cut down to what tells the cause: no
 * query parameters, no values of rows, no headers.
 */
export function createLog(level: Config["logLevel"], destination?: pino.DestinationStream) {
  const options = { level, serializers: { error: (error: unknown) => describeError(error) } };
  return destination ? pino(options, destination) : pino(options);
}

/** Causes may go round in a circle. */
const DEEPEST_CAUSE = 4;

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
