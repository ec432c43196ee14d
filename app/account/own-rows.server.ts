import { asc, eq, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Queryable } from "../db/client.server.ts";

export type OwnRows = ReturnType<typeof rowsOf>;

/** Reads the user's rows of a table, oldest first, under the names that the copy gives their columns. */
export function rowsOf(tx: Queryable, userId: string) {
  return (
    table: PgTable & { userId: PgColumn },
    oldestFirst: PgColumn,
    columns: Record<string, PgColumn | SQL>,
  ): Promise<unknown[]> =>
    tx.select(columns).from(table).where(eq(table.userId, userId)).orderBy(asc(oldestFirst)).execute();
}
