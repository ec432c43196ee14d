import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
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

/** What is in lists that a prepared statement is given, none longer than the first, by the names of their placeholders: `{ ids: "text" }`. */
export type GivenTypes = Record<string, string>;

/**
 * Such lists as rows, with a number from 1 in the last column. What limits them to as many as there are is for the planner, which
 * takes any list for ten rows when it makes a plan to keep. A shorter one is cheaper with a plan of its own, so that it would make
 * one each time, which takes longer than running it. A limit it does not know has it expect one row.
 *
 * Not for what is joined with other lists: such a plan compares each row with each.
 */
export function givenRows(types: GivenTypes): SQL {
  const [first] = listsOf(types);
  return sql`(SELECT * FROM ${givenLists(types)} LIMIT cardinality(${first}))`;
}

/** The same, planned for as many rows as there are: each time anew while they are few. */
export function givenLists(types: GivenTypes): SQL {
  return sql`unnest(${sql.join(listsOf(types), sql`, `)}) WITH ORDINALITY`;
}

const listsOf = (types: GivenTypes) =>
  Object.entries(types).map(([name, type]) => sql`${sql.placeholder(name)}::${sql.raw(type)}[]`);
