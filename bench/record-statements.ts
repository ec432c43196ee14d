/**
 * Loaded into a server by `bench/console.ts`: writes every statement a request asks of the database into the file STATEMENTS,
 * one JSON array of the request's path, text and values a line. What the process asks by itself is not in it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import { type IncomingMessage, Server } from "node:http";
import { createRequire } from "node:module";
import pg from "pg";

const file = process.env.STATEMENTS ?? "";
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils.js") as {
  prepareValue(value: unknown): string | Buffer | null;
};

const requests = new AsyncLocalStorage<string>();

const emit = Server.prototype.emit;
Server.prototype.emit = function emitWithin(this: Server, event: string, ...args: unknown[]): boolean {
  const work = () => Reflect.apply(emit, this, [event, ...args]) as boolean;
  return event === "request" ? requests.run((args[0] as IncomingMessage).url ?? "", work) : work();
};

const run = pg.Client.prototype.query;
pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]): never {
  const [query, values] = args as [string | { text?: string; values?: unknown[] }, unknown];
  const text = typeof query === "string" ? query : query.text;
  const given = Array.isArray(values) ? values : typeof query === "string" ? [] : (query.values ?? []);
  const path = requests.getStore();
  if (text && file && path)
    appendFileSync(file, `${JSON.stringify([path, text, given.map(prepareValue)])}\n`);
  return Reflect.apply(run, this, args) as never;
};
