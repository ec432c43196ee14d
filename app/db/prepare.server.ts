import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database, Queryable } from "./client.server.ts";

/** Built once a database: building a query takes longer than running it. @param build from `sql.placeholder("userId")` */
export function prepareOnce<Prepared>(build: (db: Queryable) => Prepared): (db: Queryable) => Prepared {
  const prepared = new WeakMap<Queryable, Prepared>();
  return (db) => {
    const known = prepared.get(db) ?? build(db);
    prepared.set(db, known);
    return known;
  };
}

/** Built once a process: in a transaction, Drizzle's own `prepare` builds each time. @param statement with placeholders */
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
