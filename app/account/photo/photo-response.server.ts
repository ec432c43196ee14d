import { readPhoto } from "../../auth/photos.server.ts";
import type { Queryable } from "../../db/client.server.ts";

/** Nothing in it can run, not even where it is opened by itself. */
const POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";

/**
 * A user's photo. Browsers keep it, for as long as nobody else signs in: another version has another address.
 *
 * @returns a 404 without a body, which becomes that of any unknown address, when there is no such photo
 */
export async function photoResponse(
  db: Queryable,
  userId: string | undefined,
  version: string,
): Promise<Response> {
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
