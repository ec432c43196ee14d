/**
 * Looks at everything the site needs, and says what is wrong and what to do: `npm run doctor [-- --json]`. Changes nothing.
 *
 * Exit codes as those of monitoring plugins: 0 all is well, 1 something to look at some day, 2 something does not work, 3 not
 * understood.
 */
import { existsSync } from "node:fs";
import { styleText } from "node:util";
import type { Config } from "../app/config/config.server.ts";
import { ConfigError, readConfig } from "../app/config/config.server.ts";
import { siteUrlOf, urlOf, writtenPort } from "../app/db/embedded-cluster.server.ts";
import { findHome } from "../app/db/embedded-home.server.ts";
import { examine } from "../app/doctor/doctor.server.ts";
import { type Finding, type Level, worstOf } from "../app/doctor/finding.ts";

const EXIT_CODES = { ok: 0, warn: 1, fail: 2 };
const USAGE_ERROR = 3;
const COLORS = { ok: "green", warn: "yellow", fail: "red" } as const;
const COLUMN_WIDTH = 12;

const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && option !== "--json")) {
  console.error("Usage:\n  npm run doctor [-- --json]");
  process.exit(USAGE_ERROR);
}
const found = await look();
const level = worstOf(found);
if (option === "--json") console.log(JSON.stringify({ level, checks: found }, null, 2));
else print(found);
// Whatever still hangs has been reported.
process.exit(EXIT_CODES[level]);

async function look(): Promise<Finding[]> {
  try {
    const config = readConfig(process.env);
    return await examine(config, { urls: config.database ?? (await findEmbedded(config)) });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split("\n").map((line) => ({
      check: "settings",
      level: "fail",
      says: line,
      advice:
        "see .env.example; with settings like these the site does not start, and nothing else was looked at",
    }));
  }
}

/** The embedded database of this folder, if it is running. Starts nothing. */
async function findEmbedded({ dataDir }: Config) {
  if (!existsSync(dataDir)) return null;
  const home = await findHome(dataDir, () => {});
  const port = writtenPort(home);
  if (!port) return null;
  return { siteUrl: siteUrlOf(urlOf(home, port)) };
}

function print(findings: readonly Finding[]): void {
  for (const { check, level, says, advice } of findings) {
    console.log(`${paint(level)} ${check.padEnd(COLUMN_WIDTH)} ${says}`);
    if (advice) console.log(`${" ".repeat(5 + COLUMN_WIDTH)} → ${advice}`);
  }
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  console.log(`\n${count("fail")} to act on, ${count("warn")} to look at, ${count("ok")} ok`);
}

function paint(level: Level): string {
  return styleText(COLORS[level], level.padEnd(4));
}
