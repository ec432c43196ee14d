const MAX_BYTES = 64 * 1024;

/** The body as text; `null` when it is more than 64 KiB, which is not kept in memory. */
export async function readBody(request: Request): Promise<string | null> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let body = "";
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) return null;
    body += decoder.decode(chunk, { stream: true });
  }
  return body + decoder.decode();
}

/** The body as JSON, whatever its type claims; `undefined` when it is not JSON or more than 64 KiB. */
export async function readJson(request: Request): Promise<unknown> {
  try {
    return JSON.parse((await readBody(request)) ?? "");
  } catch {
    return undefined;
  }
}

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
