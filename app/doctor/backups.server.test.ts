import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { claimBackup, openRecord } from "../backup/records.server.ts";
import { checkBackups } from "./database.server.ts";

test("a check that was killed, and a list of deletions that nobody writes any more", async () => {
  const database = await openDatabase();
  const { db, pool } = database;
  const dir = mkdtempSync(join(tmpdir(), "backups-"));
  const maker = new Client({ connectionString: database.ownerUrl });
  maker.on("error", () => {});
  await maker.connect();
  const config = {
    backup: { dir, key: "a key of at least thirty-two characters", keepDays: 35, programs: null },
    isProduction: true,
  } as Parameters<typeof checkBackups>[1];
  const wrong = async () =>
    (await checkBackups(db, config)).flatMap((found) => (found && found.level !== "ok" ? [found.says] : []));
  try {
    await pool.query(`INSERT INTO backups (id, method, started_at, finished_at, checked_at, file)
      SELECT 'good', 'dump', at, at, at, 'good.dump' FROM (SELECT now() - interval '1 hour' AS at) AS moment`);
    expect(await wrong()).toEqual([expect.stringContaining("there is no list of deletions")]);
    const list = join(dir, "erasures.json.enc");
    writeFileSync(list, "");
    expect(await wrong()).toEqual([]);

    expect(await claimBackup(maker)).toBe(true);
    const record = await openRecord(maker, "next", "dump");
    await record.written("next.dump", 1, "0", false, true);
    expect(await wrong()).toEqual([]);
    expect(await record.newestGood()).toBe("good.dump");
    await maker.end();
    await expect.poll(wrong).toEqual(["the last backup failed: its check did not end"]);
    await pool.query("DELETE FROM backups WHERE id = 'next'");

    const past = new Date(Date.now() - 5 * 60 * 60 * 1000);
    utimesSync(list, past, past);
    expect(await wrong()).toEqual([
      expect.stringMatching(/^the list of deletions, erasures.json.enc, was last written 5 hours ago/),
    ]);
  } finally {
    rmSync(dir, { recursive: true });
    await database.close();
  }
});
