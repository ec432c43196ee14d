import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib";
import { wholeBodyOf, withWholeBody } from "./whole-body.server.ts";

export type Encoding = "br" | "gzip" | "identity";

/** In order of preference. */
const SUPPORTED = ["br", "gzip"] as const;
/** Browsers send a handful of different headers. Invented ones may empty the cache but not grow it. */
const MAX_CACHED = 100;
const cache = new Map<string, Encoding>();

/** The encoding to answer an Accept-Encoding header with (RFC 9110 §12.5.3): brotli unless gzip is preferred. */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (!acceptEncoding) return "identity";
  const cached = cache.get(acceptEncoding);
  if (cached) return cached;
  const encoding = negotiate(acceptEncoding);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(acceptEncoding, encoding);
  return encoding;
}

function negotiate(acceptEncoding: string): Encoding {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    weights.set(name, Number.isFinite(weight) ? weight : 0);
  }
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get("*") ?? 0;
  const identity = weights.get("identity") ?? 0;
  const best = SUPPORTED.toSorted((a, b) => weightOf(b) - weightOf(a))[0] ?? "br";
  return weightOf(best) > 0 && weightOf(best) >= identity ? best : "identity";
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** What is larger takes too long at once: everybody else would wait for it. */
const MOST_BYTES_AT_ONCE = 64 * 1024;

/** @param effort "once" for bodies that are kept and sent many times, "now" for those a client is waiting for */
export async function encode(
  body: Buffer<ArrayBuffer>,
  encoding: Encoding,
  effort: "once" | "now",
): Promise<Buffer<ArrayBuffer>> {
  if (encoding === "identity") return body;
  const isAtOnce = effort === "now" && body.byteLength <= MOST_BYTES_AT_ONCE;
  if (encoding === "gzip") {
    const options = { level: effort === "once" ? 9 : 5 };
    return isAtOnce ? gzipSync(body, options) : deflate(body, options);
  }
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: effort === "once" ? constants.BROTLI_MAX_QUALITY : 4,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
    },
  };
  // Handing a page to another thread and back costs a third of compressing it.
  return isAtOnce ? brotliCompressSync(body, options) : brotli(body, options);
}

/** Not a CSV file: those are sent as they are read, and a million rows compressed as one would first be held as one. */
const COMPRESSIBLE = /^(text\/(?!csv)|application\/(json|manifest\+json|xml)|image\/svg\+xml)/;
/** Below this, compression gains next to nothing. */
const MIN_BYTES = 600;

/** What has been compressed, by the body: a route may keep one and answer with it again. */
const sentBefore = new WeakMap<Buffer, Partial<Record<Encoding, Promise<Buffer<ArrayBuffer>>>>>();

/** Compresses a text response with the best encoding that the client accepts. */
export async function compress(response: Response, acceptEncoding: string | null): Promise<Response> {
  const { headers } = response;
  const whole = wholeBodyOf(response);
  if ((!whole && !response.body) || headers.has("Content-Encoding")) return response;
  if (!COMPRESSIBLE.test(headers.get("Content-Type") ?? "")) return response;
  headers.append("Vary", "Accept-Encoding");
  const accepted = acceptEncoding ?? undefined;
  if (chooseEncoding(accepted) === "identity") return response;
  const text = whole ?? Buffer.from(await response.arrayBuffer());
  const { body, encoding } = await compressText(text, accepted);
  if (encoding !== "identity") {
    headers.set("Content-Encoding", encoding);
    headers.delete("Content-Length");
  }
  return withWholeBody(response, body);
}

/** The same for a text that is at hand, and may be sent again. */
async function compressText(
  text: Buffer<ArrayBuffer>,
  acceptEncoding: string | undefined,
): Promise<{ body: Buffer<ArrayBuffer>; encoding: Encoding }> {
  const encoding = text.byteLength < MIN_BYTES ? "identity" : chooseEncoding(acceptEncoding);
  return { body: encoding === "identity" ? text : await encodeOnce(text, encoding), encoding };
}

function encodeOnce(body: Buffer<ArrayBuffer>, encoding: Encoding): Promise<Buffer<ArrayBuffer>> {
  const known = sentBefore.get(body);
  const encoded = known?.[encoding] ?? encode(body, encoding, "now");
  sentBefore.set(body, { ...known, [encoding]: encoded });
  encoded.catch(() => sentBefore.delete(body));
  return encoded;
}
