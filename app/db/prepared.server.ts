import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database, Queryable } from "./client.server.ts";

const dialect = new PgDialect();

/**
 * Runs a statement that each connection of the pool prepares once: parsing and planning a large one takes longer than it does.
 *
 * @param name of this text alone, whose values are all parameters
 */
export async function executePrepared<Row extends Record<string, unknown>>(
  db: Queryable,
  name: string,
  statement: SQL,
): Promise<Row[]> {
  const { session } = (db as Database)._;
  const { rows } = await session
    .prepareQuery<{ execute: { rows: Row[] }; all: unknown; values: unknown }>(
      dialect.sqlToQuery(statement),
      undefined,
      name,
      false,
    )
    .execute();
  return rows;
}
