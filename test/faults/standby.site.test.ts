import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { expect, test } from "vitest";
import { freePort, siteUrlOf } from "../../app/db/embedded.server.ts";
import { initializeOnce, startCluster, stopCluster, urlOf } from "../../app/db/embedded-cluster.server.ts";
import { findHome } from "../../app/db/embedded-home.server.ts";
import { eventually } from "../http.ts";
import { AUTH_SECRET, startProcess, untilReady } from "../server.ts";

test("a start at a standby waits, says so, and goes on when it becomes the primary", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "standby-"));
  // The server runs as another user when we are root, who must be able to get in.
  chmodSync(dataDir, 0o755);
  const home = await findHome(dataDir, () => {});
  await initializeOnce(home);
  writeFileSync(join(home.cluster, "standby.signal"), "");
  const url = urlOf(home, await startCluster(home));
  const port = String(await freePort());
  const child = startProcess({
    AUTH_SECRET,
    PORT: port,
    HOST: "127.0.0.1",
    SANDBOX_STRIPE_PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: siteUrlOf(url),
    DATABASE_OWNER_URL: url,
  });
  const ready = untilReady(child);
  // Reported by what waits for it below.
  ready.catch(() => {});
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  try {
    const line = `waiting for the database at ${new URL(url).host}: it is a standby, or read-only\n`;
    await eventually(async () => said.split(line).length > 2, "it says so twice");
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("SELECT pg_promote()").finally(() => client.end());
    const { origin } = await ready;
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    await stopCluster(home);
    rmSync(dataDir, { recursive: true });
  }
});
