import { randomUUID } from "node:crypto";
import * as build from "virtual:react-router/server-build";
import { createRequestHandler, RouterContextProvider, type ServerBuild } from "react-router";
import { createAuth } from "./account/auth.server.ts";
import { syncCatalogue } from "./billing/catalogue.server.ts";
import { connectPayments } from "./billing/stripe.server.ts";
import { syncCustomer } from "./billing/sync.server.ts";
import { markEventHandled } from "./billing/webhook.server.ts";
import type { Config } from "./config.server.ts";
import { type App, appContext, type RequestState, requestContext } from "./context.server.ts";
import type { Database } from "./db/client.server.ts";
import { limitBody } from "./http/body-limit.ts";
import { isAllowedOrigin } from "./http/origin-check.ts";
import { applySecurityHeaders } from "./http/security-headers.ts";
import type { Log } from "./log.server.ts";
import { enqueue } from "./outbox/outbox.server.ts";
import { createWorker } from "./outbox/worker.server.ts";

export type RunningApp = ReturnType<typeof createApp>;

/**
 * Puts the parts together: everything a process has is made here, once, and reaches the routes through
 * `appContext`. server.ts owns the sockets and the database's life, this the rest.
 */
export function createApp({
  config,
  db,
  log,
  sandboxUrl,
}: {
  config: Config;
  db: Database;
  log: Log;
  sandboxUrl: string;
}) {
  const payments = connectPayments(config.payments, sandboxUrl);
  const worker = createWorker(db, jobHandlers(), log);
  const app: App = { config, db, payments, log, auth: createAuth(config, db, log), wakeWorker: worker.wake };
  const route = createRequestHandler(
    build as unknown as ServerBuild,
    config.isProduction ? "production" : "development",
  );

  return { fetch: answer, start, stop: worker.stop };

  /** Brings the mirror of the payments store up to date, then works through the outbox until stopped. */
  async function start(): Promise<void> {
    if (payments.isOn) await enqueue(db, "sync_catalogue", {});
    else log.warn({ reason: payments.reason }, "payments are off");
    await worker.drain();
    worker.start();
  }

  async function answer(incoming: Request): Promise<Response> {
    const state: RequestState = { id: randomUUID(), nonce: randomUUID().replaceAll("-", ""), setCookies: [] };
    const response = new Response(...(await answerParts(incoming, state)));
    for (const cookie of state.setCookies) response.headers.append("Set-Cookie", cookie);
    applySecurityHeaders(response.headers, config.publicOrigin.startsWith("https:"));
    return response;
  }

  async function answerParts(
    incoming: Request,
    state: RequestState,
  ): Promise<[BodyInit | null, ResponseInit]> {
    if (!isAllowedOrigin(incoming, config.publicOrigin))
      return plainText(403, "This form was sent from another site.");
    const request = await limitBody(incoming);
    if (!request) return plainText(413, "That is more than this page takes.");

    const context = new RouterContextProvider();
    context.set(appContext, app);
    context.set(requestContext, state);
    const response = await route(request, context);
    return [
      response.body,
      { status: response.status, statusText: response.statusText, headers: response.headers },
    ];
  }

  function jobHandlers() {
    const { stripe } = payments.isOn ? payments : { stripe: null };
    return {
      async sync_customer({ stripeCustomerId, eventId }: { stripeCustomerId: string; eventId?: string }) {
        if (!stripe) throw new Error("payments are off");
        await syncCustomer(stripe, db, stripeCustomerId);
        await markEventHandled(db, eventId);
      },
      async sync_catalogue({ eventId }: { eventId?: string }) {
        if (!stripe) throw new Error("payments are off");
        await syncCatalogue(stripe, db);
        await markEventHandled(db, eventId);
      },
    };
  }
}

function plainText(status: number, text: string): [string, ResponseInit] {
  return [
    text,
    { status, headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" } },
  ];
}
