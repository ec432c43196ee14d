import startCluster from "../cluster.ts";
import { mutate } from "../mutations/mutate.ts";
import { alerts } from "./alerts.ts";
import { answerTimes } from "./answer-times.ts";
import { backup } from "./backup.ts";
import { evidence, type Run } from "./evidence.ts";
import { failover } from "./failover.ts";
import { faults } from "./faults.ts";
import { firefox } from "./firefox.ts";
import { freeze } from "./freeze.ts";
import { histories } from "./histories.ts";
import { image } from "./image.ts";
import { kills } from "./kills.ts";
import { lifecycle } from "./lifecycle.ts";
import { logs } from "./logs.ts";
import { malformed } from "./malformed.ts";
import { outage } from "./outage.ts";
import { proxies } from "./proxies.ts";
import { redeem } from "./redeem.ts";
import { steady } from "./steady.ts";
import { upgrade } from "./upgrade/upgrade.ts";

/** The long runs, each at its full size: `npm run soak -- lifecycle [size]` */
const RUNS: Record<string, Run> = {
  lifecycle: [300, lifecycle, "Subscriptions change; webhooks come late, twice and out of order"],
  faults: [500, faults, "Checkouts while Stripe times out, fails and loses replies"],
  mutate: [100, mutate, "Rules are made wrong, so many of each area, and tests have to notice"],
  outage: [100, outage, "Webhooks are lost for a day of changes, then compared with Stripe"],
  kills: [500, kills, "Processes and the database are killed at random moments of all that people do"],
  redeem: [5_000, redeem, "Accounts redeem a code of a hundred uses at once, twice each"],
  steady: [3_600, steady, "Fifty requests a second for so many seconds, and what memory that takes"],
  failover: [5, failover, "Primaries are killed and switched over under load, so many times each"],
  freeze: [500, freeze, "Requests under way when the database is frozen, silent or exhausted"],
  histories: [100_000, histories, "Whose plan is in force after random histories, by the view and by hand"],
  logs: [3, logs, "Searches the log for secrets and personal data"],
  alerts: [1, alerts, "Breaks what each alert is about"],
  backup: [1_000_000, backup, "A backup of so many rows under load, restored elsewhere"],
  malformed: [20_000, malformed, "Malformed requests to every path; how long the worst hold up the others"],
  "answer-times": [200, answerTimes, "Whether the time of an answer tells who has an account"],
  image: [1, image, "The container image: contents, rights, start and end"],
  proxies: [1_000, proxies, "The site behind nginx and Caddy"],
  firefox: [2, firefox, "The browser tests in Firefox, so many at a time"],
  upgrade: [5, upgrade, "Versions replace each other under load"],
};

const [name = "", size] = process.argv.slice(2);
const evidenceRun: Run = [1, (share, seed) => evidence(RUNS, share, seed), "writes docs/evidence.md"];
const chosen = name === "evidence" ? evidenceRun : RUNS[name];
if (!chosen) {
  console.error("Usage: npm run soak -- NAME [SIZE], or evidence [SHARE], which writes docs/evidence.md");
  for (const [each, [size, , does]] of Object.entries(RUNS)) console.error(`  ${each} (${size}): ${does}`);
  process.exit(2);
}
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
console.log(`seed ${seed}`);
const endCluster = await startCluster();
const [fullSize, run] = chosen;
const differences = await run(Number(size ?? fullSize), seed).finally(endCluster);
for (const line of differences.slice(0, 20)) console.log(line);
console.log(`${differences.length} differences`);
process.exitCode = differences.length === 0 ? 0 : 1;
