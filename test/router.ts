import {
  UNSAFE_decodeViaTurboStream as decodeViaTurboStream,
  isRouteErrorResponse,
  UNSAFE_SingleFetchRedirectSymbol as REDIRECT,
} from "react-router";
import { asClient } from "./http.ts";
import type { TestServer } from "./server.ts";

/** The answer to the router of a hydrated page: data, an error, or a redirect. */
export interface RouterAnswer {
  data?: unknown;
  /** For an error page: its status and data. */
  error?: { status: number; data: unknown };
  redirect?: string;
}

/** A browser's headers for a request that one of our pages makes itself. */
const BY_A_PAGE = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };

/** The URL from which the router fetches a page's data. */
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

/** The data of one route, fetched as by the router of an open page. @param route its id */
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
 * Decodes such an answer as the router does.
 *
 * @param route the id of the requested one; none for the answer to a form
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
