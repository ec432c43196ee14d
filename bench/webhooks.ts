import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Pool } from "pg";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { spawnServer } from "../test/server.ts";
import { withFolder } from "./contender.ts";
import type { Figure } from "./figures.ts";
import { measureDeliveries } from "./webhook-deliveries.ts";

export function run(): Promise<Figure[]> {
  return withFolder(async (folder) => {
    const postgres = await openEmbeddedPostgres(folder, () => {});
    try {
      const pool = new Pool({ connectionString: postgres.url, max: 3 });
      pool.on("error", () => {});
      const server = await spawnServer({
        DATABASE_URL: postgres.siteUrl,
        DATABASE_OWNER_URL: postgres.url,
        DATA_DIR: folder,
        ROLE: process.env.ROLE ?? "web",
        LOG_LEVEL: "error",
        ...(process.env.NODE_OPTS && { NODE_OPTIONS: process.env.NODE_OPTS }),
      });
      await pool.query(
        `INSERT INTO "user" (id, name, email) SELECT 'user' || n, 'n', 'user' || n || '@example.com' FROM generate_series(1, 1000) AS n`,
      );
      await pool.query(
        `INSERT INTO customers (user_id, stripe_customer_id) SELECT 'user' || n, 'cus_' || n FROM generate_series(1, 1000) AS n`,
      );
      try {
        return await measureDeliveries({
          origin: server.origin,
          pool,
          ownerUrl: postgres.url,
          folder,
          secret: "whsec_sandbox_only_never_in_production",
          customers: 1000,
          payload: JSON.parse(readFileSync("/tmp/w/event.json", "utf8")),
        });
      } finally {
        server.child.kill("SIGTERM");
        await once(server.child, "exit");
        await pool.end();
      }
    } finally {
      await postgres.release();
    }
  });
}
