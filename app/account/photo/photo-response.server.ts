import { readPhoto } from "../../auth/photos.server.ts";
import type { Queryable } from "../../db/client.server.ts";

/** Opened as a page, it runs nothing. */
const POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";

/** Cached by browsers: another version has another URL. @returns an empty 404, which becomes the 404 page, without such a photo */
export async function photoResponse(db: Queryable, userId: string | undefined, version: string) {
  const jpeg = userId === undefined ? null : await readPhoto(db, userId, version);
  if (!jpeg) return new Response(null, { status: 404 });
  return new Response(new Uint8Array(jpeg), {
    headers: {
      "Content-Type": "image/jpeg",
      "Content-Length": String(jpeg.byteLength),
      "Content-Disposition": "inline",
      "Content-Security-Policy": POLICY,
      "Cross-Origin-Resource-Policy": "same-origin",
      "Cache-Control": "private, max-age=31536000, immutable",
      Vary: "Cookie",
    },
  });
}
