import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { chooseEncoding, compress } from "./encoding.server.ts";
import { wholeBodyOf, wholeResponse } from "./whole-body.server.ts";

test.each([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip", "gzip"],
  ["GZIP;Q=1.0", "gzip"],
  ["br;q=0.5, gzip;q=0.9", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0", "identity"],
  ["*", "br"],
  ["*;q=0", "identity"],
  ["br;q=0, *", "gzip"],
  ["identity", "identity"],
  ["identity;q=1, br;q=0.5", "identity"],
  ["zstd", "identity"],
  ["br;q=nonsense", "identity"],
  [";;;,,,=", "identity"],
] as const)("%s is answered with %s", (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding);
  expect(chooseEncoding(header)).toBe(encoding);
});

const LONG = "a statement line and the label you write on it. ".repeat(50);

async function compressed(acceptEncoding: string | null, init: ResponseInit, body = LONG) {
  const response = await compress(new Response(body, init), acceptEncoding);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

test("text is sent as small as the client reads it, and caches are told", async () => {
  const html = { status: 404, headers: { "Content-Type": "text/html; charset=utf-8", Vary: "Cookie" } };
  const { response, bytes } = await compressed("br", html);
  expect([response.status, response.headers.get("content-encoding")]).toEqual([404, "br"]);
  expect(response.headers.get("vary")).toBe("Cookie, Accept-Encoding");
  expect(brotliDecompressSync(bytes).toString()).toBe(LONG);
  const asGzip = await compressed("gzip", html);
  expect(gunzipSync(asGzip.bytes).toString()).toBe(LONG);
  const plain = await compressed(null, html);
  expect(plain.bytes.toString()).toBe(LONG);
  expect(plain.response.headers.get("vary")).toContain("Accept-Encoding");
});

test("a CSV file goes out as it is read: nobody holds it whole", async () => {
  let rows = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(`${++rows}\r\n`)),
  });
  const { body } = await compress(
    new Response(endless, { headers: { "Content-Type": "text/csv; charset=utf-8" } }),
    "br",
  );
  const reader = body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("1\r\n");
  expect(rows).toBeLessThan(10);
  await reader?.cancel();
});

test("what does not get smaller, or is small, stays as it is", async () => {
  const image = await compressed("br", { headers: { "Content-Type": "image/png" } });
  expect(image.response.headers.get("content-encoding")).toBeNull();
  const short = await compressed("br", { headers: { "Content-Type": "text/plain" } }, "alive");
  expect([short.response.headers.get("content-encoding"), short.bytes.toString()]).toEqual([null, "alive"]);
});

test("a body that is sent again, also at once, is compressed once", async () => {
  const body = Buffer.from(LONG);
  const send = (accept: string) =>
    compress(wholeResponse(body, { headers: { "Content-Type": "text/html" } }), accept);
  const [one, other, asGzip] = await Promise.all([send("br"), send("br"), send("gzip")]);
  expect(wholeBodyOf(one)).toBe(wholeBodyOf(other));
  expect(brotliDecompressSync(wholeBodyOf(await send("br")) ?? "").toString()).toBe(LONG);
  expect(gunzipSync(wholeBodyOf(asGzip) ?? "").toString()).toBe(LONG);
});
