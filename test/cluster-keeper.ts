/** Keeps the tests' PostgreSQL running until its standard input ends, which it does with its parent: see cluster.ts. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { createTemplate } from "./database.ts";

const folder = mkdtempSync(join(tmpdir(), "test-postgres-"));
// The server runs as another user when we are root, who must be able to get in.
chmodSync(folder, 0o755);
const postgres = await openEmbeddedPostgres(folder, console.error);
await createTemplate(postgres.url);
console.log(postgres.url);
await finished(process.stdin.resume(), { writable: false });
await postgres.release();
rmSync(folder, { recursive: true, force: true });
