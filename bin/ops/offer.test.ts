import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMPILE_CACHE } from "../../test/compile-cache.ts";
import { openDatabase } from "../../test/database.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const dataDir = mkdtempSync(join(tmpdir(), "ops-offer-"));

beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true });
});

/** The command as somebody with a shell runs it. */
async function ops(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...COMPILE_CACHE, PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: dataDir };
  try {
    const run = await promisify(execFile)(process.execPath, ["bin/ops.ts", ...args], { env });
    return { code: 0, out: run.stdout, err: run.stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

// Each command is a process of its own.
const PATIENT = { timeout: 120_000 };

test(
  "features are listed, opened with their announcement, and closed, in the name of the command line",
  PATIENT,
  async () => {
    expect(JSON.parse((await ops("features", "list", "--json")).out)).toMatchObject({
      csv_processing: { isOpen: false, openedAt: null },
    });
    expect(JSON.parse((await ops("features", "open", "csv_processing", "--json")).out)).toMatchObject({
      feature: "csv_processing",
      isOpen: true,
      announces: true,
    });
    const { rows } = await database.pool.query("SELECT payload FROM outbox WHERE kind = 'announce_feature'");
    expect(rows).toEqual([{ payload: { feature: "csv_processing", actor: "npm run ops" } }]);
    expect(await ops("features", "close", "csv_processing")).toEqual({
      code: 0,
      out: "csv_processing (CSV Processing) is being built\n",
      err: "",
    });
    const log = await database.pool.query("SELECT actor, action FROM audit_log ORDER BY id");
    expect(log.rows).toEqual([
      { actor: "npm run ops", action: "feature.opened" },
      { actor: "npm run ops", action: "feature.closed" },
    ]);
  },
);

test(
  "the catalogue is listed; what is not understood or cannot be done says so by its exit code",
  PATIENT,
  async () => {
    expect(JSON.parse((await ops("catalogue", "list", "--json")).out)).toMatchObject({
      plans: [],
      retired: [],
    });
    expect(await ops("features", "open", "gold")).toMatchObject({
      code: 2,
      err: expect.stringContaining("no feature gold"),
    });
    expect(await ops("catalogue", "list", "all")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Usage:"),
    });
    // No server runs whose sandbox could answer.
    expect(await ops("catalogue", "sync")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Stripe:"),
    });
  },
);
