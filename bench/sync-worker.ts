/**
 * Works off the syncs that are due with the code of one folder, this version's or an older one's, and prints how many seconds
 * and how much processor time that took: see webhook-syncs.ts.
 */
import { join } from "node:path";
import { pino } from "pino";
import { NO_TELEMETRY } from "../app/telemetry/telemetry.ts";

const [root = "", databaseUrl = "", sandboxUrl = "", places = "3"] = process.argv.slice(2);
const load = (path: string) => import(join(root, "app", path));
const { connect, endPool }: typeof import("../app/db/client.server.ts") = await load("db/client.server.ts");
const { createWorker }: typeof import("../app/outbox/worker.server.ts") =
  await load("outbox/worker.server.ts");
const { syncHandlers }: typeof import("../app/billing/job-handlers.server.ts") = await load(
  "billing/job-handlers.server.ts",
);
const { connectPayments }: typeof import("../app/billing/stripe.server.ts") =
  await load("billing/stripe.server.ts");
const { readConfig }: typeof import("../app/config/config.server.ts") = await load("config/config.server.ts");
const config = readConfig({ AUTH_SECRET: "x".repeat(32) });
const { db, pool } = connect(databaseUrl, 20, () => {});
const payments = connectPayments(config.payments, sandboxUrl, NO_TELEMETRY);
const log = pino({ level: "warn" }, pino.destination(2));
const worker = createWorker(
  { db, log: log as never },
  syncHandlers({ config, db, payments }),
  Number(places),
);
await db.execute("SELECT 1");
const startedAt = performance.now();
const before = process.cpuUsage();
await worker.drain();
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({ seconds: (performance.now() - startedAt) / 1000, processor: (user + system) / 1e6 }),
);
await endPool(pool);
process.exit(0);
