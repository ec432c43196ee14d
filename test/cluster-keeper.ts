/** Keeps the tests' PostgreSQL running until its standard input ends, which it does with its parent: see cluster.ts. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { createTemplate } from "./database.ts";
import { logPlans, readLoggedPlans } from "./logged-plans.ts";

const folder = mkdtempSync(join(tmpdir(), "test-postgres-"));
// The server runs as another user when we are root, who must be able to get in.
chmodSync(folder, 0o755);
const postgres = await openEmbeddedPostgres(folder, console.error);
await createTemplate(postgres.url);
const { PLANS_FILE } = process.env;
if (PLANS_FILE) await logPlans(postgres.url, new URL(postgres.siteUrl).username);
console.log(postgres.url);
await finished(process.stdin.resume(), { writable: false });
await postgres.release();
if (PLANS_FILE)
  writeFileSync(PLANS_FILE, JSON.stringify(await readLoggedPlans(join(folder, "postgres/postgres.log"))));
rmSync(folder, { recursive: true, force: true });
