/**
 * Loaded into a server by recorded-server.ts: writes each statement that a request asks of the database, as the site's role and so without
 * the sandboxes', into the file STATEMENTS, one JSON array of the request's path and the text a line.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { type IncomingMessage, Server } from "node:http";
import pg from "pg";

const file = process.env.STATEMENTS ?? "";

const SITE_ROLE = "site";
const requests = new AsyncLocalStorage<string>();

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

function record(client: pg.Client, [query]: unknown[]): void {
  const text = textOf(query);
  const path = requests.getStore();
  if (text && file && path !== undefined && client.user === SITE_ROLE)
    appendFileSync(file, `${JSON.stringify([path, text])}\n`);
}
