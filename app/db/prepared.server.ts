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

/**
 * A statement that is put together once a process, and parsed and planned once a connection: all of which takes longer than running it.
 *
 * @param name of the prepared statement: no other has it
 * @param makeStatement from placeholders, `sql.placeholder("userIds")`
 * @returns what runs it, in a transaction or not, told what the placeholders stand for
 */
export function prepareStatement<Row extends Record<string, unknown>, Name extends string = never>(
  name: string,
  makeStatement: () => SQL,
): (db: Queryable, given: Record<Name, unknown>) => Promise<Row[]> {
  let made: ReturnType<typeof named> | undefined;
  return async (db, given) => {
    made ??= named(name, makeStatement());
    const { session } = (db as Database)._;
    const { rows } = await session
      .prepareQuery<{ execute: { rows: Row[] }; all: unknown; values: unknown }>(
        made.query,
        undefined,
        made.name,
        false,
      )
      .execute(given);
    return rows;
  };
}
