import { readBody } from "../request-body.ts";

/**
 * What a browser sent to a page: the form of a POST, the query otherwise; null when it is too much. Without NUL, which
 * PostgreSQL cannot hold.
 */
export async function readHostedForm(request: Request): Promise<URLSearchParams | null> {
  const encoded = request.method === "POST" ? await readBody(request) : new URL(request.url).search;
  if (encoded === null) return null;
  const form = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(encoded)) form.append(name, value.replaceAll("\0", ""));
  return form;
}
