import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";

/**
 * One real PostgreSQL for a whole run, in a folder that is gone afterwards. Its URL is left in
 * TEST_DATABASE_URL; every test file makes its own database in it.
 *
 * @returns what ends it
 */
export default async function startCluster(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "test-postgres-"));
  // The server runs as another user when we are root, who must be able to get in.
  chmodSync(folder, 0o755);
  const postgres = await openEmbeddedPostgres(folder, console.log);
  process.env.TEST_DATABASE_URL = postgres.url;
  return async () => {
    await postgres.release();
    rmSync(folder, { recursive: true, force: true });
  };
}
