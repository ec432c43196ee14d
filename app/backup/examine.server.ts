import { findViolations } from "../db/invariants.server.ts";
import { findMigrationState } from "../db/migration-state.server.ts";
import { countRows, withClient } from "./dump.server.ts";
import { BackupFileError } from "./encryption.server.ts";

/**
 * Counts the rows of a database that a backup was unpacked into.
 *
 * @param expected as they were when it was made; `null` when that is not known
 * @throws BackupFileError when they are not as many
 */
export async function countRestored(
  url: string,
  expected: Record<string, number> | null,
): Promise<{ tables: number; rows: number }> {
  const counts = await withClient(url, countRows);
  const names = Object.keys({ ...expected, ...(expected && counts) });
  const differences = names
    .filter((name) => counts[name] !== expected?.[name])
    .map((name) => `${name} has ${counts[name] ?? "no"} rows, not ${expected?.[name] ?? "any"}`);
  if (differences.length > 0)
    throw new BackupFileError(`not all of it is there once it is restored: ${differences.join("; ")}`);
  return {
    tables: Object.keys(counts).length,
    rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
  };
}

/** The rules of invariants.sql that do not hold; `null`: not looked at, because the schema is of another version. */
export function findBroken(url: string): Promise<string[] | null> {
  return withClient(url, async (client) => {
    if ((await findMigrationState(client)) !== "current") return null;
    return (await findViolations(client)).map(({ rule }) => rule);
  });
}
