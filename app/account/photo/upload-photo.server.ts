import { savePhoto } from "../../auth/photos.server.ts";
import type { App } from "../../http/context.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import type { Upload } from "../../http/uploads.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { ACCOUNT_LIMITS } from "../limits.ts";
import { encodePhoto } from "./encode-photo.server.ts";
import { PHOTO_MAX_MEGABYTES, PHOTO_TOO_LARGE } from "./photo-rules.ts";

/** Browsers then send an empty file. */
const NOTHING = failure(400, "Choose a photo first");

const REFUSALS: Record<Exclude<Upload, FormData>, Failure> = {
  "too large": failure(400, PHOTO_TOO_LARGE),
  "too many": {
    ...failure(503, "Too many photos are on their way. Try again in a moment"),
    headers: { "Retry-After": "5" },
  },
  unreadable: failure(400, "Your photo didn’t arrive in one piece. Try again"),
};

/** Failures: 400 no photo, or one that is too large or unreadable; 429 too often; 503 too many at a time. */
export async function uploadPhoto(
  app: Pick<App, "config" | "db" | "log">,
  userId: string,
  upload: Upload,
): Promise<{ ok: true } | Failure> {
  if (!(upload instanceof FormData)) return REFUSALS[upload];
  const file = upload.get("picture");
  if (!(file instanceof File) || file.size === 0) return NOTHING;
  if (file.size > PHOTO_MAX_MEGABYTES * 1024 * 1024) return REFUSALS["too large"];
  return withLimit(app, ACCOUNT_LIMITS.photoByUser, userId, async () => {
    const encoded = await encodePhoto(file);
    if (!encoded.ok) return encoded;
    await savePhoto(app.db, userId, encoded.jpeg);
    return { ok: true as const };
  });
}
