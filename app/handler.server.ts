import { createRequestHandler, type RouterContextProvider, type ServerBuild } from "react-router";
import { PHOTO_MAX_MEGABYTES } from "./account/photo/photo-rules.ts";
import { judgeForm } from "./auth/account-mark.server.ts";
import { createHostCookie, hasSessionCookie } from "./auth/cookies.server.ts";
import { readSession } from "./auth/session.server.ts";
import { limitBody } from "./http/body-limit.server.ts";
import { callableError } from "./http/callable.server.ts";
import { type App, contextOf, type RequestState } from "./http/context.server.ts";
import { failure } from "./http/errors.ts";
import { isDataSubmission, isForPage } from "./http/form.server.ts";
import {
  answerPreflight,
  applyCors,
  isAllowedOrigin,
  isJsonEndpoint,
  withoutForeignOrigin,
} from "./http/origin-check.ts";
import { isPrefetch, PREFETCH_CACHES } from "./http/page-cache.server.ts";
import { PATH_RULES } from "./http/path-rules.ts";
import { findTargetRefusal, type Refusal } from "./http/request-target.ts";
import { createRouteFinder, patternsOf } from "./http/route-pattern.ts";
import { applySecurityHeaders } from "./http/security-headers.server.ts";
import { withCommonAnswers } from "./http/unavailable.server.ts";
import { createUploads, isUpload } from "./http/uploads.server.ts";
import { OTHER_BUILD } from "./ui/build.ts";
import { type Site, supportAddress } from "./ui/site.ts";
import { OUR_FAULT } from "./ui/what-failed.ts";

type From = Pick<RequestState, "client" | "hasSession" | "notes">;

/** For what is not answered from memory: the common rules, React Router, then the common headers. */
export function createHandler(
  app: App,
  build: ServerBuild,
): (incoming: Request, from: From) => Promise<Response> {
  const { config, log } = app;
  const { publicOrigin, site } = config;
  const originRules = { publicOrigin, handoffOrigin: config.handoff?.origin ?? null };
  const version = import.meta.env.PROD ? build.assets.version : undefined;
  const findRoute = createRouteFinder(patternsOf(build.routes));
  const receiveUpload = createUploads(PHOTO_MAX_MEGABYTES);
  // Prefetched data vary by this cookie, so that those from before a form was sent do not serve a later click.
  const changedCookie = createHostCookie(config, "changed", PREFETCH_SECONDS);
  const route = createRequestHandler(
    withCommonAnswers(build, log),
    import.meta.env.PROD ? "production" : "development",
  );
  return answer;

  async function answer(incoming: Request, from: From): Promise<Response> {
    const state: RequestState = { id: from.notes.id, ...from, build: version, setCookies: [] };
    const { pattern, canonical } = findRoute(new URL(incoming.url).pathname);
    from.notes.route = pattern;
    from.notes.isFrequent = false;
    const answered = await handle(incoming, canonical, state);
    // The headers of a redirect are immutable.
    const response = new Response(answered.body, answered);
    for (const cookie of state.setCookies) response.headers.append("Set-Cookie", cookie);
    // After a sign-in or sign-out, no tab may show what another has prefetched (decision 0036).
    if (state.setCookies.length > 0) response.headers.set("Clear-Site-Data", PREFETCH_CACHES);
    else if (response.ok && isDataSubmission(incoming) && hasSessionCookie(config, incoming))
      response.headers.append("Set-Cookie", await changedCookie.serialize(state.id));
    if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
    if (isDataFetchedAhead(incoming)) {
      response.headers.set("Cache-Control", FOR_THE_CLICK);
      response.headers.append("Vary", "Cookie");
    }
    if (isPageOfForm(incoming, response)) response.headers.set("Cache-Control", KEPT_FOR_BACK);
    const { status } = response;
    if (status >= 500) response.headers.set("X-Request-Id", state.id);
    if (status === 405 && !response.headers.has("Allow")) response.headers.set("Allow", "GET, HEAD");
    applyCors(response.headers, incoming, config.corsOrigins);
    applySecurityHeaders(response.headers, publicOrigin.startsWith("https:"));
    return response;
  }

  async function handle(incoming: Request, canonical: string | null, state: RequestState): Promise<Response> {
    const preflight = answerPreflight(incoming);
    if (preflight) return preflight;
    const url = new URL(incoming.url);
    const refusal = findTargetRefusal(url);
    if (refusal) return respondWithRefusal(incoming, state, refusal);
    if (canonical) return new Response(null, { status: 308, headers: { Location: canonical + url.search } });
    if (!isAllowedOrigin(incoming, originRules)) return forbiddenOrigin(incoming);
    const sent = withoutForeignOrigin(incoming, originRules);
    if (isUpload(sent)) return receive(sent, state);
    const limited = await limitBody(sent);
    if (!limited.ok) return respondWithRefusal(incoming, state, limited);
    return respond(limited.request, state);
  }

  /** Receives a file for who is signed in, before its form goes the way of every other. */
  async function receive(sent: Request, state: RequestState): Promise<Response> {
    const session = await readSession({ request: sent, context: contextOf(app, state) }).catch(() => null);
    return receiveUpload(sent, session?.user.id, (upload) => {
      state.upload = upload;
      return respond(withoutBody(sent), state);
    });
  }

  async function respond(sent: Request, state: RequestState): Promise<Response> {
    const context = contextOf(app, state);
    const judged = await judgeForm(sent, context);
    if (judged === "other build") return new Response(null, { status: OTHER_BUILD });
    if (judged === "other account") return showInstead("/account/other", sent, context);
    const request = judged === "open again" ? asPage(sent) : sent;
    const answer = await route(request, context);
    if (isEmptyNotFound(answer)) {
      const { signal } = sent;
      return route(new Request(`${publicOrigin}/refused`, { signal }), contextOf(app, state));
    }
    return describeBareError(request, answer, { id: state.id, site });
  }

  /** Another page, or its data. */
  function showInstead(path: string, sent: Request, context: RouterContextProvider): Promise<Response> {
    const { headers, signal } = asPage(sent);
    return isDataSubmission(sent)
      ? route(new Request(`${publicOrigin}${path}.data`, { method: "POST", headers, signal }), context)
      : route(new Request(publicOrigin + path, { headers, signal }), context);
  }

  /** JSON endpoints answer with a callable error, which has no code for a 413; others with a page or its data. */
  async function respondWithRefusal(incoming: Request, state: RequestState, { status, message }: Refusal) {
    state.refusal = { status: isJsonEndpoint(incoming) ? 400 : status, message };
    if (isJsonEndpoint(incoming)) return callableError(failure(400, message));
    return showInstead("/refused", incoming, contextOf(app, state));
  }
}

/** In seconds. */
const PREFETCH_SECONDS = 5;
const FOR_THE_CLICK = `private, max-age=${PREFETCH_SECONDS}`;

function isDataFetchedAhead(request: Request): boolean {
  return (
    request.method === "GET" && new URL(request.url).pathname.endsWith(".data") && isPrefetch(request.headers)
  );
}

function asPage({ url, headers, signal }: Request): Request {
  return new Request(url, { headers: { cookie: headers.get("cookie") ?? "" }, signal });
}

/** The same request without its body, which is received already. */
function withoutBody({ url, method, headers, signal }: Request): Request {
  const others = new Headers(headers);
  for (const name of ["content-type", "content-length"]) others.delete(name);
  return new Request(url, { method, headers: others, signal });
}

/** The browser alone may store the answer, to show it on Back. With `no-store` it would ask to send the form again. */
const KEPT_FOR_BACK = "private, no-cache";

/** A failure with what was typed. */
function isPageOfForm(request: Request, answer: Response): boolean {
  return (
    request.method === "POST" &&
    isForPage(request) &&
    !PATH_RULES.secrets.some((path) => path === new URL(request.url).pathname) &&
    !answer.headers.has("location") &&
    (answer.headers.get("content-type") ?? "").startsWith("text/html")
  );
}

/** Of a route that is no page, such as a file of the console: the 404 page replaces it. */
function isEmptyNotFound(answer: Response): boolean {
  return answer.status === 404 && answer.body === null;
}

function forbiddenOrigin(request: Request): Response {
  const forbidden = failure(403, "This was sent from another site.");
  if (isJsonEndpoint(request)) return callableError(forbidden);
  return new Response(forbidden.message, {
    status: forbidden.status,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}

const BARE_BODY = /^(?:\{"message":")?Unexpected Server Error(?:"\})?$/;

/** Replaces React Router's generic response of a resource route by a callable error, or plain text with the logged id. */
async function describeBareError(
  request: Request,
  response: Response,
  { id, site }: { id: string; site: Pick<Site, "supportEmail" | "origin"> },
): Promise<Response> {
  const { status } = response;
  if ((status !== 500 && status !== 405) || !(await isBare(response))) return response;
  if (isJsonEndpoint(request) && status === 500) return callableError(failure(500, OUR_FAULT));
  const text =
    status === 405
      ? `This URL does not accept ${request.method} requests.`
      : `Unexpected Application Error!\n\n${OUR_FAULT} If it keeps happening, ${site.supportEmail ? "email" : "use"} ${supportAddress(site)} and quote this number: ${id}`;
  return new Response(`${text}\n`, {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}

async function isBare(response: Response): Promise<boolean> {
  const type = response.headers.get("Content-Type");
  if (type !== "text/plain" && type !== "application/json") return false;
  return BARE_BODY.test(await response.clone().text());
}
