import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { readMigrations } from "../../bin/migrations.ts";
import { openDatabase } from "../../test/database.ts";
import { applyMigrations } from "./migrate.server.ts";
import { writeMigrations } from "./migrations-folder.fixture.ts";
import { SkippedVersionError } from "./skipped-versions.server.ts";

const shipped = readMigrations();
const next = (index: number) => String(shipped.length + index).padStart(4, "0");
const when = (shipped.at(-1)?.when ?? 0) + 1;
const withoutIt = {
  tag: `${next(0)}_without_it`,
  when,
  sql: "-- The code does without waitlist.uses_today.",
};
const dropIt = {
  tag: `${next(1)}_drop_it`,
  when: when + 1,
  sql: `-- contract of ${next(0)}\nALTER TABLE "waitlist" DROP COLUMN "uses_today"`,
};

test("a version that was skipped: what its successor takes away stays while older processes are running", async () => {
  const database = await openDatabase();
  const both = writeMigrations([...shipped, withoutIt, dropIt]);
  const hasColumn = async () =>
    (
      await database.pool.query(
        "SELECT FROM pg_attribute WHERE attrelid = 'waitlist'::regclass AND attname = 'uses_today'",
      )
    ).rowCount === 1;
  const seen = (ago: string) =>
    database.pool.query(
      `INSERT INTO processes (id, role, version, host, seen_at) VALUES ('older', 'web', '0.8.0', 'web-1', now() - $1::interval)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
      [ago],
    );

  await seen("20 seconds");
  const skipping = applyMigrations(database.ownerUrl, { folder: both });
  await expect(skipping).rejects.toThrow(SkippedVersionError);
  await expect(skipping).rejects.toThrow(/still use: web-1 \(0\.8\.0\)/);
  expect(await hasColumn()).toBe(true);

  await seen("3 minutes");
  expect(await applyMigrations(database.ownerUrl, { folder: both })).toEqual([withoutIt.tag, dropIt.tag]);
  expect(await hasColumn()).toBe(false);
  rmSync(both, { recursive: true });
  await database.close();
});

test("its neighbour is upgraded while it is running", async () => {
  const database = await openDatabase();
  const first = writeMigrations([...shipped, withoutIt]);
  const both = writeMigrations([...shipped, withoutIt, dropIt]);
  await applyMigrations(database.ownerUrl, { folder: first });
  await database.pool.query(
    "INSERT INTO processes (id, role, version, host) VALUES ('older', 'web', '0.9.0', 'web-1')",
  );
  expect(await applyMigrations(database.ownerUrl, { folder: both })).toEqual([dropIt.tag]);
  for (const folder of [first, both]) rmSync(folder, { recursive: true });
  await database.close();
});
