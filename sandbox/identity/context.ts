import type { Pool } from "pg";
import { readBody } from "../request-body.ts";
import type { identityEndpoints, OAuthClient, Provider } from "./endpoints.ts";
import type { Knobs } from "./knobs.ts";

/** One request, and everything its response may depend on. */
export interface Context {
  request: Request;
  url: URL;
  /** As they were set when the request came. */
  knobs: Knobs;
  pool: Pool;
  publicOrigin: string;
  redirectPrefix: string;
  loopback: string;
  endpoints: ReturnType<typeof identityEndpoints>;
  clients: Partial<Record<Provider, OAuthClient>>;
  /** Aborted when the process is ending: from then on no request is kept waiting. */
  ending: AbortSignal;
  log: (message: string) => void;
}

/** The fields of a form; none when the body is not a form or is more than 64 KiB. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
  return new URLSearchParams(isForm ? ((await readBody(request)) ?? "") : "");
}

/** Whether a parameter is repeated (RFC 6749 §3.1) or holds a NUL, which PostgreSQL cannot store. */
export function isMalformed(params: URLSearchParams): boolean {
  return (
    new Set(params.keys()).size !== params.size || [...params.values()].some((value) => value.includes("\0"))
  );
}
