/**
 * Loaded into a server by recorded-server.ts: writes each statement that a request asks of the database, as the site's role and so without
 * the sandboxes', into the file STATEMENTS, one JSON array of the request's path and the text a line.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { type IncomingMessage, Server } from "node:http";

const file = process.env.STATEMENTS ?? "";

const SITE_ROLE = "site";
const requests = new AsyncLocalStorage<string>();

const emit = Server.prototype.emit;
Server.prototype.emit = function emitWithin(this: Server, event: string, ...args: unknown[]): boolean {
  const work = () => Reflect.apply(emit, this, [event, ...args]) as boolean;
  return event === "request" ? requests.run((args[0] as IncomingMessage).url ?? "", work) : work();
};

subscribe("query", (message) => {
  const { client, args } = message as { client: { user?: string }; args: unknown[] };
  const [query] = args as [string | { text?: string }];
  const text = typeof query === "string" ? query : query.text;
  const path = requests.getStore();
  if (text && file && path !== undefined && client.user === SITE_ROLE)
    appendFileSync(file, `${JSON.stringify([path, text])}\n`);
});
