import startCluster from "../cluster.ts";
import { mutate } from "../mutations/mutate.ts";
import { alerts } from "./alerts.ts";
import { answerTimes } from "./answer-times.ts";
import { backup } from "./backup.ts";
import { eventLoop } from "./event-loop.ts";
import { failover } from "./failover.ts";
import { faults } from "./faults.ts";
import { freeze } from "./freeze.ts";
import { histories } from "./histories.ts";
import { idle } from "./idle.ts";
import { image } from "./image/image.ts";
import { kills } from "./kills.ts";
import { lifecycle } from "./lifecycle.ts";
import { logs } from "./logs.ts";
import { malformed } from "./malformed.ts";
import { outage } from "./outage.ts";
import { proxies } from "./proxies/proxies.ts";
import { redeem } from "./redeem.ts";
import { upgrade } from "./upgrade/upgrade.ts";

/** `npm run soak -- lifecycle [size]`: one of the long runs at its full size. */
const RUNS: Record<string, { size: number; run(size: number, seed: number): Promise<string[]> }> = {
  lifecycle: { size: 300, run: lifecycle },
  faults: { size: 500, run: faults },
  mutate: { size: 100, run: mutate },
  outage: { size: 100, run: outage },
  kills: { size: 500, run: kills },
  redeem: { size: 5_000, run: redeem },
  idle: { size: 300, run: idle },
  failover: { size: 5, run: failover },
  freeze: { size: 500, run: freeze },
  histories: { size: 100_000, run: histories },
  logs: { size: 3, run: logs },
  alerts: { size: 1, run: alerts },
  backup: { size: 1_000_000, run: backup },
  malformed: { size: 20_000, run: malformed },
  "event-loop": { size: 3, run: eventLoop },
  "answer-times": { size: 200, run: answerTimes },
  image: { size: 1_000, run: image },
  proxies: { size: 1_000, run: proxies },
  upgrade: { size: 5, run: upgrade },
};

const [name = "", size] = process.argv.slice(2);
const chosen = RUNS[name];
if (!chosen) {
  console.error(`Say what to run: npm run soak -- ${Object.keys(RUNS).join(" | ")}`);
  process.exit(2);
}
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
console.log(`seed ${seed}`);
const endCluster = await startCluster();
const differences = await chosen.run(Number(size ?? chosen.size), seed).finally(endCluster);
for (const line of differences.slice(0, 20)) console.log(line);
console.log(`${differences.length} differences`);
process.exitCode = differences.length === 0 ? 0 : 1;
