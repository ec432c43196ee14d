import { DrizzleQueryError } from "drizzle-orm";
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
    // Drizzle writes the parameters into its message, among them addresses and tokens.
    message: error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message,
    code,
    stack: error.stack?.match(/^ {4}at .*$/gm)?.join("\n"),
    cause:
      error.cause === undefined || depth === DEEPEST_CAUSE
        ? undefined
        : describeError(error.cause, depth + 1),
  };
}
