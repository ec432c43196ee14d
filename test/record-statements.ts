/**
 * Loaded into a process by the benches: writes the statements that are asked of the database into the file STATEMENTS, one JSON
 * array of a request's path, text and values a line. By default each one that a request asks. With STATEMENTS_OF, the name of a
 * role, each text once that is asked as this role, by whatever, so that what tests prepare and look up as the owner is left out.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { type IncomingMessage, Server } from "node:http";
import { createRequire } from "node:module";
import pg from "pg";

const file = process.env.STATEMENTS ?? "";
const role = process.env.STATEMENTS_OF;
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils.js") as {
  prepareValue(value: unknown): string | Buffer | null;
};

const requests = new AsyncLocalStorage<string>();
const seen = new Set<string>();

const emit = Server.prototype.emit;
Server.prototype.emit = function emitWithin(this: Server, event: string, ...args: unknown[]): boolean {
  const work = () => Reflect.apply(emit, this, [event, ...args]) as boolean;
  return event === "request" ? requests.run((args[0] as IncomingMessage).url ?? "", work) : work();
};

/** Of a query that was written down when the pool told of it: the driver is about to see it, too, unless it is in a build. */
let told: unknown[] | undefined;
subscribe("query", (message) => {
  const { client, args } = message as { client: pg.Client; args: unknown[] };
  record(client, args);
  told = args;
});

const run = pg.Client.prototype.query;
pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]): never {
  if (told?.[1] !== args[1] || textOf(told?.[0]) !== textOf(args[0])) record(this, args);
  told = undefined;
  return Reflect.apply(run, this, args) as never;
};

function textOf(query: unknown): string | undefined {
  return typeof query === "string" ? query : (query as { text?: string } | undefined)?.text;
}

function record(client: pg.Client, args: unknown[]): void {
  const [query, values] = args as [string | { text?: string; values?: unknown[] }, unknown];
  const text = typeof query === "string" ? query : query.text;
  const given = Array.isArray(values) ? values : typeof query === "string" ? [] : (query.values ?? []);
  const path = requests.getStore();
  const isWanted = role === undefined ? path !== undefined : client.user === role && !seen.has(text ?? "");
  if (text && file && isWanted) {
    seen.add(text);
    appendFileSync(file, `${JSON.stringify([path ?? "", text, given.map(prepareValue)])}\n`);
  }
}
