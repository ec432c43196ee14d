import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database, Queryable } from "./client.server.ts";

/**
 * A query that Drizzle prepares, built once a database: building one takes longer than running it.
 *
 * @param build from placeholders, `sql.placeholder("userId")`
 */
export function prepareOnce<Prepared>(build: (db: Queryable) => Prepared): (db: Queryable) => Prepared {
  const prepared = new WeakMap<Queryable, Prepared>();
  return (db) => {
    const known = prepared.get(db) ?? build(db);
    prepared.set(db, known);
    return known;
  };
}

/**
 * A statement that is built once per process, and planned once per connection. Drizzle's own `prepare` builds a query of a
 * transaction each time, which takes longer than running it.
 *
 * @param name of the prepared statement, which must be unique
 * @param statement with placeholders, `sql.placeholder("code")`
 * @returns runs it with the values of the placeholders
 */
export function prepareStatement<Row extends Record<string, unknown>, Name extends string>(
  name: string,
  statement: SQL,
): (db: Queryable, given: Record<Name, unknown>) => Promise<Row[]> {
  const query = new PgDialect().sqlToQuery(statement);
  return async (db, given) => {
    const { session } = (db as Database)._;
    const prepared = session.prepareQuery<{ execute: { rows: Row[] }; all: unknown; values: unknown }>(
      ...([query, undefined, name, false] as const),
    );
    return (await prepared.execute(given)).rows;
  };
}
