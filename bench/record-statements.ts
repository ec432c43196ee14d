/**
 * Loaded into a server by `bench/console.ts`: writes every statement it asks of its database into the file STATEMENTS, one
 * JSON array of text and values a line.
 */
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import pg from "pg";

const file = process.env.STATEMENTS ?? "";
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils.js") as {
  prepareValue(value: unknown): string | Buffer | null;
};

const run = pg.Client.prototype.query;

pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]): never {
  const [query, values] = args as [string | { text?: string; values?: unknown[] }, unknown];
  const text = typeof query === "string" ? query : query.text;
  const given = Array.isArray(values) ? values : typeof query === "string" ? [] : (query.values ?? []);
  if (text && file) appendFileSync(file, `${JSON.stringify([text, given.map(prepareValue)])}\n`);
  return Reflect.apply(run, this, args) as never;
};
