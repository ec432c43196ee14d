import {
  Column,
  fillPlaceholders,
  type GetColumnData,
  is,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { Database, Queryable } from "./client.server.ts";
import { named } from "./prepared.server.ts";

/**
 * A question as one value of a statement, so that a page can ask all it needs in one round trip: the rows as JSON. Whoever
 * needs one of them alone asks it alone; the question is written once.
 */
export interface Part<Answer> {
  sql: SQL;
  /** @param value as the database gave it */
  read(value: unknown): Answer;
}

/** A value that is known when the statement is made, or only when it is run. */
export type Given = string | Placeholder | SQLWrapper;

type Field = Column | SQL | Part<unknown>;
type Read<Asked extends Field> =
  Asked extends Part<infer Answer>
    ? Answer
    : Asked extends Column
      ? GetColumnData<Asked>
      : Asked extends SQL<infer Value>
        ? Value
        : never;
type Row<Fields extends Record<string, Field>> = { [Name in keyof Fields]: Read<Fields[Name]> };

/**
 * Rows in the order that `from` says.
 *
 * @param fields what is read of each: columns, expressions, and parts that ask about the row
 * @param from the statement from its FROM on
 */
export function rows<Fields extends Record<string, Field>>(fields: Fields, from: SQL): Part<Row<Fields>[]> {
  const names = Object.keys(fields);
  const values = Object.values(fields);
  const readers = values.map(readerOf);
  const selected = sql.join(
    values.map((field) => (isPart(field) ? field.sql : sql`${field}`)),
    sql`, `,
  );
  return {
    sql: sql`(SELECT coalesce(json_agg(part.row), '[]'::json) FROM (SELECT json_build_array(${selected}) AS row ${from}) AS part)`,
    read: (found) => (found as unknown[]).map((row) => readRow(row, names, readers)),
  };
}

function readRow<Row>(found: unknown, names: string[], readers: ((value: unknown) => unknown)[]): Row {
  const row: Record<string, unknown> = {};
  for (const [at, name] of names.entries()) row[name] = readers[at]?.((found as unknown[])[at]);
  return row as Row;
}

/** The first of them, or `null`. */
export function firstRow<Fields extends Record<string, Field>>(
  fields: Fields,
  from: SQL,
): Part<Row<Fields> | null> {
  const all = rows(fields, sql`${from} LIMIT 1`);
  return { sql: all.sql, read: (found) => all.read(found)[0] ?? null };
}

/** Columns of the row that is asked about, as an object of their own. */
export function nested<Fields extends Record<string, Column>>(fields: Fields): Part<Row<Fields>> {
  const names = Object.keys(fields);
  const columns = Object.values(fields);
  const readers = columns.map(readerOf);
  const selected = sql.join(
    columns.map((column) => sql`${column}`),
    sql`, `,
  );
  return { sql: sql`json_build_array(${selected})`, read: (found) => readRow(found, names, readers) };
}

/** A boolean, number or text. */
export function expression<Answer extends boolean | number | string | null>(
  asked: SQL<Answer>,
): Part<Answer> {
  return { sql: sql`to_json(${asked})`, read: (found) => found as Answer };
}

/** The moment at which the statement began, by the database's clock. */
export function momentPart(): Part<Date> {
  return { sql: sql`to_json(now())`, read: (found) => new Date(String(found)) };
}

/** The same part, read otherwise. */
export function map<From, To>(part: Part<From>, change: (from: From) => To): Part<To> {
  return { sql: part.sql, read: (found) => change(part.read(found)) };
}

export type AnswerOf<Asked> = Asked extends Part<infer Answer> ? Answer : never;

type Answers<Parts extends Record<string, Part<unknown>>> = {
  [Name in keyof Parts]: AnswerOf<Parts[Name]>;
};

/** Several parts as one, whose answers are about the same moment. */
export function together<Parts extends Record<string, Part<unknown>>>(parts: Parts): Part<Answers<Parts>> {
  const named = Object.entries(parts);
  const all = sql.join(
    named.map(([, part]) => part.sql),
    sql`, `,
  );
  return {
    sql: sql`json_build_array(${all})`,
    read: (found) =>
      Object.fromEntries(
        named.map(([name, part], at) => [name, part.read((found as unknown[])[at])]),
      ) as Answers<Parts>,
  };
}

/** Asks a part, for itself. */
export async function ask<Answer>(db: Queryable, part: Part<Answer>): Promise<Answer> {
  const { rows: found } = await db.execute<{ part: unknown }>(sql`SELECT ${part.sql} AS part`);
  return part.read(found[0]?.part);
}

/**
 * A part that is asked again and again: its statement is put together once a process, and parsed and planned once a connection
 * (a prepared statement). Not within a transaction.
 *
 * @param name of the prepared statement: no other has it
 * @param makePart from placeholders, `sql.placeholder("userId")`
 * @returns what asks it, told what the placeholders stand for
 */
export function prepare<Answer, Name extends string>(
  name: string,
  makePart: () => Part<Answer>,
): (db: Database, given: Record<Name, unknown>) => Promise<Answer> {
  let made: { name: string; part: Part<Answer>; text: string; params: unknown[] } | undefined;
  return async (db, given) => {
    made ??= compile(name, makePart());
    const { part, text, params } = made;
    const values = fillPlaceholders(params, given);
    const { rows: found } = await db.$client.query<[unknown]>({
      ...{ name: made.name, text, values, rowMode: "array" },
    });
    return part.read(found[0]?.[0]);
  };
}

function compile<Answer>(name: string, part: Part<Answer>) {
  const { query, name: full } = named(name, sql`SELECT ${part.sql} AS part`);
  return { name: full, part, text: query.sql, params: query.params };
}

function isPart(field: Field): field is Part<unknown> {
  return "read" in field;
}

function readerOf(field: Field): (found: unknown) => unknown {
  if (isPart(field)) return (found) => field.read(found);
  return is(field, Column)
    ? (found) => (found === null ? null : field.mapFromDriverValue(found))
    : (found) => found;
}
