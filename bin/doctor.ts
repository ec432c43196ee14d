/**
 * Looks at everything the site needs, and says what is wrong and what to do: `npm run doctor [-- --json]`. Changes nothing.
 *
 * Exit codes as those of monitoring plugins: 0 all is well, 1 something to look at some day, 2 something does not work, 3 not
 * understood.
 */
import { existsSync } from "node:fs";
import { styleText } from "node:util";
import { type Config, ConfigError, readConfig } from "../app/config/config.server.ts";
import { siteUrlOf, urlOf, writtenPort } from "../app/db/embedded-cluster.server.ts";
import { findHome } from "../app/db/embedded-home.server.ts";
import { examine } from "../app/doctor/doctor.server.ts";
import { type Finding, type Level, worstOf } from "../app/doctor/finding.ts";

const EXIT_CODES = { ok: 0, warn: 1, fail: 2 };
const COLORS = { ok: "green", warn: "yellow", fail: "red" } as const;
const COLUMN_WIDTH = 12;

const args = process.argv.slice(2);
if (args.length > 1 || (args[0] ?? "--json") !== "--json") {
  console.error("Usage:\n  npm run doctor [-- --json]");
  process.exit(3);
}
const findings = await look();
const level = worstOf(findings);
if (args[0] === "--json") console.log(JSON.stringify({ level, checks: findings }, null, 2));
else print();
// What still hangs has been reported.
process.exit(EXIT_CODES[level]);

async function look(): Promise<Finding[]> {
  try {
    const config = readConfig(process.env);
    return await examine(config, config.database ?? (await findEmbedded(config)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice =
      "see .env.example; with settings like these the site does not start, and nothing else was looked at";
    return error.message.split("\n").map((says) => ({ check: "settings", level: "fail", says, advice }));
  }
}

/** The embedded database of this folder, if it is running. Starts nothing. */
async function findEmbedded({ dataDir }: Config) {
  if (!existsSync(dataDir)) return null;
  const home = await findHome(dataDir, () => {});
  const port = writtenPort(home);
  return port ? { siteUrl: siteUrlOf(urlOf(home, port)) } : null;
}

function print(): void {
  for (const { check, level, says, advice } of findings) {
    console.log(`${styleText(COLORS[level], level.padEnd(4))} ${check.padEnd(COLUMN_WIDTH)} ${says}`);
    if (advice) console.log(`${" ".repeat(5 + COLUMN_WIDTH)} → ${advice}`);
  }
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  console.log(`\n${count("fail")} to act on, ${count("warn")} to look at, ${count("ok")} ok`);
}
