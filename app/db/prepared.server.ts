import { createHash } from "node:crypto";
import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database, Queryable } from "./client.server.ts";

const dialect = new PgDialect();

/**
 * A statement and the name it is prepared under. A connection of a pooler may have one that another version of this site
 * prepared, so the name ends with a hash of the text.
 */
export function named(name: string, statement: SQL) {
  const query = dialect.sqlToQuery(statement);
  return { query, name: `${name}_${createHash("sha256").update(query.sql).digest("hex").slice(0, 8)}` };
}

/** Runs a statement that each connection of the pool prepares once: parsing and planning a large one takes longer than it does. */
export async function executePrepared<Row extends Record<string, unknown>>(
  db: Queryable,
  name: string,
  statement: SQL,
): Promise<Row[]> {
  const { session } = (db as Database)._;
  const prepared = named(name, statement);
  const { rows } = await session
    .prepareQuery<{ execute: { rows: Row[] }; all: unknown; values: unknown }>(
      prepared.query,
      undefined,
      prepared.name,
      false,
    )
    .execute();
  return rows;
}
