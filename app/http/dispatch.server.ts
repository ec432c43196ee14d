import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type ClientAddress, createRequestListener } from "@remix-run/node-fetch-server";
import compression from "compression";
import type { RequestNotes } from "../telemetry/requests.server.ts";
import { limitBody } from "./body-limit.server.ts";
import type { createRequestSafety } from "./request-safety.server.ts";
import { findTargetRefusal } from "./request-target.ts";
import { commonHeaders } from "./security-headers.server.ts";
import { sendText } from "./sockets.server.ts";

/** Not a 404, so that misrouted requests are retried elsewhere and search engines keep the page. */
const SERVES_NO_PAGES =
  "This process runs background jobs (ROLE=worker) and serves no pages: send requests to one with ROLE=web or all.";

/** A web Request cannot have these methods. */
const UNSUPPORTED_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Except CSV files, which are streamed. */
const compress = compression({
  filter: (request, response) =>
    !/^text\/csv/.test(String(response.getHeader("Content-Type"))) && compression.filter(request, response),
}) as unknown as (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const FILE = { route: "(file)", isFrequent: true };

/** Memory, files, and the app for the rest. */
export interface Destinations {
  answerFromMemory(request: IncomingMessage, response: ServerResponse, next: RequestListener): void;
  assets(request: IncomingMessage, response: ServerResponse, next: () => void): void;
  app(): Promise<{ fetch(request: Request, peerAddress: string, notes: RequestNotes): Promise<Response> }>;
}

interface Dispatching {
  /** A worker answers health checks, and in development its sandboxes. */
  role: "web" | "worker" | "all";
  site: Destinations;
  /** `null`: all outside services are the real ones. */
  sandboxes: { answers(path: string): boolean; handle(request: Request): Promise<Response> } | null;
  canServe(): Promise<boolean> | false;
  publicOrigin: string;
  safety: ReturnType<typeof createRequestSafety>;
}

/** An exception ends its request only (decision 0026). */
export function createDispatcher(parts: Dispatching): RequestListener {
  const { role, site, sandboxes, canServe, publicOrigin, safety } = parts;
  // Behind a TLS proxy the socket has http.
  const { host, protocol } = new URL(publicOrigin);
  const options = { host, protocol, onError: safety.failedResponse };
  const toApp = createRequestListener(
    async (request: Request, { address }: ClientAddress) =>
      (await site.app()).fetch(request, address, safety.notes()),
    options,
  );
  const toSandboxes = sandboxes && createRequestListener(limited(sandboxes.handle), options);

  const common = commonHeaders(protocol === "https:");

  const dispatch = safety.guard((request, response, notes) => {
    response.setHeaders(common);
    const path = hasOneHost(request) ? pathOf(request) : null;
    if (!path || UNSUPPORTED_METHODS.has(request.method ?? "")) {
      sendText(response, path ? 405 : 400, "We do not understand this request.", {
        Allow: "GET, HEAD, POST",
      });
      return;
    }
    request.url = path;
    if (path === "/healthz" || path === "/readyz") {
      notes.route = path;
      notes.isQuiet = true;
    }
    if (path === "/healthz") sendText(response, 200, "alive");
    else if (path === "/readyz") void answerReadiness(response, canServe);
    else if (toSandboxes && sandboxes.answers(path)) {
      notes.route = "/sandbox/*";
      toSandboxes(request, response);
    } else if (role === "worker") sendText(response, 503, SERVES_NO_PAGES, { "Retry-After": "5" });
    else {
      Object.assign(notes, FILE);
      compress(request, response, () => site.assets(request, response, () => toApp(request, response)));
    }
  });

  if (role === "worker") return dispatch;
  // Memory first: every check before it would cost each visitor.
  return (request, response) =>
    hasOneHost(request) ? site.answerFromMemory(request, response, dispatch) : dispatch(request, response);
}

/** A proxy may have used the second `Host` where Node uses the first (RFC 9112 §3.2). */
function hasOneHost({ rawHeaders, headers }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === "host") hosts++;
  return hosts <= 1 && /^[\w.~!$&'()*+;=%:[\]-]*$/.test(headers.host ?? "");
}

/** The app's limits, for the sandboxes. */
function limited(handle: (request: Request) => Promise<Response>): (request: Request) => Promise<Response> {
  return async (request) => {
    const refusal = findTargetRefusal(new URL(request.url));
    const limited = refusal ? { ok: false as const, ...refusal } : await limitBody(request);
    if (limited.ok) return handle(limited.request);
    return new Response(limited.message, { status: limited.status });
  };
}

/** A proxy may send an absolute URL (RFC 9112 §3.2.2). */
function pathOf(request: IncomingMessage): string | null {
  const target = request.url ?? "";
  if (target.startsWith("/")) return target;
  const url = URL.parse(target);
  return url?.protocol.startsWith("http") ? url.pathname + url.search : null;
}

async function answerReadiness(response: ServerResponse, canServe: Dispatching["canServe"]): Promise<void> {
  const isServing = await canServe();
  sendText(response, isServing ? 200 : 503, isServing ? "ready" : "not ready");
}
