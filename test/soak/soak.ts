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
import { image } from "./image/image.ts";
import { kills } from "./kills.ts";
import { lifecycle } from "./lifecycle.ts";
import { logs } from "./logs.ts";
import { malformed } from "./malformed.ts";
import { outage } from "./outage.ts";
import { proxies } from "./proxies/proxies.ts";
import { redeem } from "./redeem.ts";
import { steady } from "./steady.ts";
import { upgrade } from "./upgrade/upgrade.ts";

/** `npm run soak -- lifecycle [size]`: one of the long runs at its full size. */
const RUNS: Record<string, Run> = {
  lifecycle: {
    does: "Subscriptions change at Stripe; webhooks come late, twice, out of order, to three processes",
    size: 300,
    run: lifecycle,
  },
  faults: { does: "Checkouts while Stripe times out, fails and loses replies", size: 500, run: faults },
  mutate: {
    does: "Rules are made wrong, so many of each area, and tests have to notice",
    size: 100,
    run: mutate,
  },
  outage: {
    does: "Webhooks are lost for a day of changes and first payments, then compared with Stripe",
    size: 100,
    run: outage,
  },
  kills: {
    does: "Processes and the database are killed in turn, at random moments of everything people do",
    size: 500,
    run: kills,
  },
  redeem: {
    does: "Accounts redeem a code of a hundred uses at once, twice each, at several processes",
    size: 5_000,
    run: redeem,
  },
  steady: {
    does: "Fifty requests a second for so many seconds, and what memory that takes",
    size: 3_600,
    run: steady,
  },
  failover: {
    does: "Three database servers: primaries killed and switched over under load, so many times each",
    size: 5,
    run: failover,
  },
  freeze: {
    does: "Requests under way when the database is frozen, silent or exhausted, so many for each",
    size: 500,
    run: freeze,
  },
  histories: {
    does: "Random histories of codes, gifts, payments and cancellations: whose plan is in force, by the view and by hand",
    size: 100_000,
    run: histories,
  },
  logs: { does: "Searches the log for secrets and personal data", size: 3, run: logs },
  alerts: { does: "Breaks what each alert is about", size: 1, run: alerts },
  backup: { does: "A backup of so many rows under load, restored elsewhere", size: 1_000_000, run: backup },
  malformed: {
    does: "Malformed requests to every path, and how long the worst hold up the others",
    size: 20_000,
    run: malformed,
  },
  "answer-times": {
    does: "Whether answers tell by their time who has an account",
    size: 200,
    run: answerTimes,
  },
  image: { does: "The container image: size, contents, rights, start and end", size: 1, run: image },
  proxies: { does: "The site behind nginx and Caddy", size: 1_000, run: proxies },
  firefox: { does: "The browser tests in Firefox, so many at a time", size: 2, run: firefox },
  upgrade: { does: "Versions replace each other under load", size: 5, run: upgrade },
};

const [name = "", size] = process.argv.slice(2);
const chosen: Omit<Run, "does"> | undefined =
  name === "evidence" ? { size: 1, run: (share, seed) => evidence(RUNS, share, seed) } : RUNS[name];
if (!chosen) {
  console.error("Usage: npm run soak -- NAME [SIZE], or evidence [SHARE], which writes docs/evidence.md");
  for (const [each, { does, size }] of Object.entries(RUNS)) console.error(`  ${each} (${size}): ${does}`);
  process.exit(2);
}
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
console.log(`seed ${seed}`);
const endCluster = await startCluster();
const differences = await chosen.run(Number(size ?? chosen.size), seed).finally(endCluster);
for (const line of differences.slice(0, 20)) console.log(line);
console.log(`${differences.length} differences`);
process.exitCode = differences.length === 0 ? 0 : 1;
