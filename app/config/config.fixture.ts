import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "./config.server.ts";

export const DATA_DIR = mkdtempSync(join(tmpdir(), "config-"));

/** The required settings of production. */
export const PRODUCTION = {
  NODE_ENV: "production",
  PUBLIC_ORIGIN: "https://own.example",
  AUTH_SECRET: "a secret of at least thirty-two characters",
  DATABASE_URL: "postgres://localhost/site",
  DATA_DIR,
};

type Settings = Record<string, string | undefined>;

export const read = (env: Settings = {}) => readConfig({ DATA_DIR, ...env });

/** The problems of settings, a line for each variable; empty when there are none. */
export function complaintOf(env: Settings): string {
  try {
    read(env);
    return "";
  } catch (error) {
    return String(error).replace("ConfigError: ", "");
  }
}
