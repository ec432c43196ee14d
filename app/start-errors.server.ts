import type { Config } from "./config/config.server.ts";
import { isDatabaseAway } from "./db/database-away.server.ts";
import { SchemaError } from "./db/migrate.server.ts";
import { RoleError } from "./db/roles.server.ts";

const FILE_SYSTEM_CODES = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "ENOENT", "ENOSPC", "EDQUOT"]);

/** One line for the operator, never with a URL's password. @returns `null`: the error itself is the best explanation */
export function explainStartError(
  error: unknown,
  config: Pick<Config, "port" | "database" | "dataDir" | "metrics">,
): string | null {
  const { code = "", syscall, path, message, port } = innermost(error);
  if (syscall === "listen" && config.metrics && port === config.metrics.port)
    return `port ${port} is in use (METRICS_PORT). Each process on a machine needs one of its own`;
  if (syscall === "listen" || (syscall === "getaddrinfo" && !config.database)) {
    if (code === "EADDRINUSE")
      return `port ${config.port} is in use. End what uses it, or choose another one: PORT=${config.port + 1}`;
    if (code === "EACCES")
      return `this user may not listen on port ${config.port}. Choose one above 1023: PORT=3000`;
    return `HOST is not an address of this machine (${code})`;
  }
  if (FILE_SYSTEM_CODES.has(code) && syscall !== "connect" && syscall !== "spawn") {
    if (code === "ENOSPC" || code === "EDQUOT")
      return `the disk is full: there is no room for ${path ?? config.dataDir}. Make room, or set DATA_DIR to another folder`;
    return `${path ?? config.dataDir} cannot be written to (${code}). Let this user write there, or set DATA_DIR to another folder`;
  }
  const explains = [RoleError, SchemaError].some((kind) => error instanceof kind);
  if (explains) return message;
  if (!config.database) return null;

  const where = `the database at ${new URL(config.database.siteUrl).host} (DATABASE_URL)`;
  if (code === "ENOTFOUND") return `${where} is not found. Correct its name`;
  if (code === "ECONNREFUSED") return `${where} is not running. Start it, or correct the address`;
  if (code === "28P01" || code === "28000")
    return `${where} refuses the user or the password. Correct them; in a URL special characters are written like %40`;
  if (code === "3D000") return `${where} has no database of that name. Create it, or correct the name`;
  if (code === "42501") return `${where} does not let this user do what is needed: ${message}`;
  if (code === "08P01")
    return `${where} does not take our settings: ${message}. Is it a pooler? See docs/operate.md`;
  return isDatabaseAway(error) ? `${where} does not answer: ${message}` : null;
}

/** A query's error wraps that of the connection. */
function innermost(error: unknown): NodeJS.ErrnoException & { port?: number } {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, cause }: NodeJS.ErrnoException = error;
  return code || !(cause instanceof Error) ? error : innermost(cause);
}
