import { pino } from "pino";
import type { Config } from "./config.server.ts";

export type Log = ReturnType<typeof createLog>;

/** JSON lines on standard output. Fields that could carry a secret or a whole address are cut here, whatever a caller passes. */
export function createLog(level: Config["logLevel"]) {
  return pino({
    level,
    redact: ["email", "token", "password", "cookie", "authorization", "*.email", "*.token", "*.password"],
  });
}
