import { isForm } from "./form.server.ts";
import { PATH_RULES } from "./path-rules.ts";
import { countParts, type Refusal } from "./request-target.ts";

const KILOBYTE = 1024;
/** A text pasted by mistake gets a validation error and not a 413. */
const MAX_FORM_BYTES = 64 * KILOBYTE;
const MAX_FORM_FIELDS = 100;
const MAX_JSON_BYTES = 32 * KILOBYTE;
/** Protects recursive readers. */
const MAX_JSON_DEPTH = 32;
/** Stripe's events contain whole objects. Without a valid signature none is parsed. */
const MAX_EVENT_BYTES = 512 * KILOBYTE;

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;

/**
 * Limits size, whatever Content-Length claims, and what makes parsing expensive. request-safety.server.ts discards the rest.
 * @returns the request with its body in memory. Failures: 413 too large, 400 JSON that nests too deeply or a form with too many fields
 */
export async function limitBody(
  request: Request,
): Promise<{ ok: true; request: Request } | ({ ok: false } & Refusal)> {
  if (!request.body) return { ok: true, request };
  const type = request.headers.get("content-type") ?? "";
  const isEvent = new URL(request.url).pathname === PATH_RULES.events;
  const isJson = JSON_TYPE.test(type) && !isEvent;
  const limit = isEvent ? MAX_EVENT_BYTES : isJson ? MAX_JSON_BYTES : MAX_FORM_BYTES;
  const body = await readAtMost(request.body, limit);
  if (!body)
    return {
      ok: false,
      status: 413,
      message: `That is too much at once. Send at most ${limit / KILOBYTE} KB.`,
    };
  if (isJson && !isShallow(body))
    return { ok: false, status: 400, message: `Send JSON that is at most ${MAX_JSON_DEPTH} levels deep.` };
  if (isForm(type) && countParts(body, "&", MAX_FORM_FIELDS) > MAX_FORM_FIELDS)
    return { ok: false, status: 400, message: `This form has more than ${MAX_FORM_FIELDS} fields.` };
  const { url, method, headers, signal } = request;
  return { ok: true, request: new Request(url, { method, headers, signal, body }) };
}

/** @param mostRead of a longer body, which is dropped. @returns `null` when it is larger than the limit */
export async function readAtMost(
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
  mostRead = limit,
): Promise<Buffer<ArrayBuffer> | null> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    size += chunk.byteLength;
    if (size > mostRead) break;
    if (size <= limit) chunks.push(chunk);
    else chunks = [];
  }
  return size <= limit ? Buffer.concat(chunks) : null;
}

const [QUOTE, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\{}[]');

/** Byte by byte; malformed JSON is left to the parser. */
function isShallow(body: Buffer): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (isInString && byte === BACKSLASH) at++;
    else if (byte === QUOTE) isInString = !isInString;
    else if (isInString) continue;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    if (depth > MAX_JSON_DEPTH) return false;
  }
  return true;
}
