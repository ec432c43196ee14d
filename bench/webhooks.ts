import { once } from "node:events";
import { join } from "node:path";
import { connectStripe } from "@ownwords/sandbox/testing";
import { Pool } from "pg";
import { readConfig } from "../app/config/config.server.ts";
import { endPool } from "../app/db/client.server.ts";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { spawnServer } from "../test/server.ts";
import { withFolder } from "./contender.ts";
import type { Figure } from "./figures.ts";
import { measureDeliveries } from "./webhook-deliveries.ts";
import { fillCustomers, measureSyncs, setKnobs } from "./webhook-syncs.ts";

const DEFAULT_CUSTOMERS = 1_000;

/**
 * Stripe's events from their delivery to the sync of their customers, on a database that waits for its disk as in production. Deliveries go
 * to a process that only serves, since what is compared with it does no jobs either. Needs wrk and pgbench.
 */
export function run(): Promise<Figure[]> {
  return withFolder(async (folder) => {
    const postgres = await openEmbeddedPostgres(folder, () => {});
    const server = await spawnServer({
      ...{ DATABASE_URL: postgres.siteUrl, DATABASE_OWNER_URL: postgres.url },
      ...{ DATA_DIR: join(folder, "data"), ROLE: "web", LOG_LEVEL: "error" },
    });
    const pool = new Pool({ connectionString: postgres.url, max: 3 });
    pool.on("error", () => {});
    try {
      const { port, stripeOrigin } = server;
      const origin = `http://127.0.0.1:${port}`;
      const parts = { origin, pool, siteUrl: postgres.siteUrl, stripe: connectStripe(stripeOrigin) };
      await setKnobs(origin, { webhooks: "hold" });
      const customers = await fillCustomers(parts, Number(process.argv[3] ?? DEFAULT_CUSTOMERS));
      const { payments } = readConfig({ AUTH_SECRET: "x".repeat(32) });
      const secret = payments.mode === "sandbox" ? payments.webhookSecret : "";
      return [
        ...(await measureDeliveries({ ...parts, databaseUrl: postgres.url, folder, secret, customers })),
        ...(await measureSyncs(parts)),
      ];
    } finally {
      server.child.kill("SIGTERM");
      await once(server.child, "exit");
      await endPool(pool);
      await postgres.release();
    }
  });
}
