import { readBody } from "../request-body.ts";

/** The fields of a form; none when what came is none, or is too much. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
  return new URLSearchParams(isForm ? ((await readBody(request)) ?? "") : "");
}

/** Whether a name is there twice (RFC 6749 §3.1), or PostgreSQL could not keep what is there. */
export function isAmbiguous(params: URLSearchParams): boolean {
  return (
    new Set(params.keys()).size !== params.size || [...params.values()].some((value) => value.includes("\0"))
  );
}
