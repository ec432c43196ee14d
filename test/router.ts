import {
  UNSAFE_decodeViaTurboStream as decodeViaTurboStream,
  isRouteErrorResponse,
  UNSAFE_SingleFetchRedirectSymbol as REDIRECT,
} from "react-router";
import { asClient } from "./http.ts";
import type { TestServer } from "./server.ts";

/** What the router of a hydrated page is told: what its page shows, that it failed, or where to go. */
export interface RouterAnswer {
  data?: unknown;
  /** Of an error page: its status and what it is about. */
  error?: { status: number; data: unknown };
  redirect?: string;
}

/** What a browser says of a request that a page of ours makes by itself. */
const BY_A_PAGE = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };

/** Where the router asks for what a page shows. */
export function dataPath(path: string): string {
  const [page = "", query] = path.split("?", 2);
  return `${page}.data${query === undefined ? "" : `?${query}`}`;
}

/** A form being sent by a page that is hydrated, as its router sends it, by a new client each time. */
export function postByRouter(
  server: Pick<TestServer, "origin">,
  path: string,
  fields: Record<string, string>,
  cookie?: string,
  headers: Record<string, string> = asClient(),
): Promise<Response> {
  return fetch(server.origin + dataPath(path), {
    method: "POST",
    redirect: "manual",
    headers: { origin: server.origin, ...BY_A_PAGE, ...(cookie && { cookie }), ...headers },
    body: new URLSearchParams(fields),
  });
}

/** What one route has to say, asked for by the router of a page that is open already. @param route its id */
export function getByRouter(
  server: Pick<TestServer, "origin">,
  path: string,
  route: string,
  cookie?: string,
  headers: Record<string, string> = asClient(),
): Promise<Response> {
  const url = new URL(dataPath(path), server.origin);
  url.searchParams.set("_routes", route);
  return fetch(url, { redirect: "manual", headers: { ...BY_A_PAGE, ...(cookie && { cookie }), ...headers } });
}

/**
 * What such an answer says, read as the router reads it.
 *
 * @param route the id of the one that was asked for; none for the answer to a form
 * @throws for an answer that the router could not read
 */
export async function readRouterAnswer(answer: Response, route?: string): Promise<RouterAnswer> {
  if (!answer.body || !answer.headers.has("x-remix-response"))
    throw new Error(`no answer for the router: ${answer.status} ${await answer.text()}`);
  const { value } = await decodeViaTurboStream(answer.body, globalThis);
  const said = value as Record<string | symbol, Record<string, unknown>>;
  const { redirect, data, error } = said[REDIRECT] ?? (route === undefined ? said : (said[route] ?? {}));
  if (typeof redirect === "string") return { redirect };
  if (error === undefined) return { data };
  if (!isRouteErrorResponse(error)) throw error;
  return { error: { status: error.status, data: error.data } };
}
