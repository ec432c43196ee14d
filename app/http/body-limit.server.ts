import type { Refusal } from "./request-target.ts";

const KILOBYTE = 1024;
/** Far more than any form of ours takes, so that a text pasted by mistake comes back with an answer. */
const LARGEST_FORM = 64 * KILOBYTE;
const MOST_FIELDS = 100;
const LARGEST_JSON = 32 * KILOBYTE;
/** In levels of objects and lists: what a recursive reader is given. */
const DEEPEST_JSON = 32;
/** Stripe's events carry whole objects. They are signed, so that only Stripe has them read. */
const LARGEST_EVENT = 512 * KILOBYTE;

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;

/**
 * The same request with its body read into memory, or why it is refused: it is too large, or taking it apart could take
 * long. Nothing of it has been parsed by then. Reading stops at the limit, whatever Content-Length claims; server.ts
 * lets the rest of the body go by.
 *
 * @param eventsPath where signed events come in, which may be larger
 */
export async function limitBody(
  request: Request,
  eventsPath?: string,
): Promise<{ ok: true; request: Request } | ({ ok: false } & Refusal)> {
  if (!request.body) return { ok: true, request };
  const type = request.headers.get("content-type") ?? "";
  const isEvent = new URL(request.url).pathname === eventsPath;
  const isJson = JSON_TYPE.test(type) && !isEvent;
  const limit = isEvent ? LARGEST_EVENT : isJson ? LARGEST_JSON : LARGEST_FORM;
  const body = await readAtMost(request.body, limit);
  if (!body)
    return {
      ok: false,
      status: 413,
      message: `This is more than we take at once: send at most ${limit / KILOBYTE} KB.`,
    };
  if (isJson && !isShallow(body))
    return { ok: false, status: 400, message: `Send JSON that is at most ${DEEPEST_JSON} levels deep.` };
  if (FORM.test(type) && countFields(body) > MOST_FIELDS)
    return { ok: false, status: 400, message: `This form has more than ${MOST_FIELDS} fields.` };
  const { url, method, headers, signal } = request;
  return { ok: true, request: new Request(url, { method, headers, signal, body }) };
}

async function readAtMost(
  stream: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const AMPERSAND = 0x26;

function countFields(body: Buffer): number {
  let fields = 1;
  for (const byte of body) if (byte === AMPERSAND) fields++;
  return fields;
}

const [QUOTE, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\{}[]');

/** Whether JSON nests at most DEEPEST_JSON levels, read byte by byte: what is no JSON is for the parser to say. */
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
    if (depth > DEEPEST_JSON) return false;
  }
  return true;
}
