import { readAtMost } from "./body-limit.server.ts";
import { pageUrl } from "./page-url.ts";
import { PATH_RULES } from "./path-rules.ts";
import { countParts } from "./request-target.ts";

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
/** Beside the file, as any other form may have. */
const MAX_FIELDS_BYTES = 64 * KILOBYTE;
/** Read and dropped, because browsers show an answer only once they have sent everything. */
const MAX_READ_BYTES = 64 * MEGABYTE;
/** A file, and the fields of any form. With what is before the first and after the last boundary. */
const MAX_PARTS = 11;
/** Uploads in memory at a time, and of these one user's. */
const MOST_AT_ONCE = 4;
const MOST_OF_USER = 2;

/** As browsers and `fetch` write it: parsers disagree about more exotic forms. */
const MULTIPART = /^multipart\/form-data;\s*boundary=([\w'()+,./:=?-]{1,70})$/i;

/** A form with a file, or why there is none. */
export type Upload = FormData | "too large" | "too many" | "unreadable";

declare module "./context.server.ts" {
  interface RequestState {
    /** On the route that takes files. The request then has no body. */
    upload?: Upload;
  }
}

/** Whether it may have a file and is for the route that takes one. */
export function isUpload(request: Request): boolean {
  const type = request.headers.get("content-type") ?? "";
  return (
    request.body !== null && /^multipart\//i.test(type) && pageUrl(request).pathname === PATH_RULES.uploads
  );
}

/** Bounds the size and parts of each upload before it is parsed, and their number, because each is in memory until it is answered. */
export function createUploads(maxFileMegabytes: number) {
  const limit = maxFileMegabytes * MEGABYTE + MAX_FIELDS_BYTES;
  const users: string[] = [];
  return receive;

  /** @param userId `undefined`: a visitor, whose file is dropped */
  async function receive(
    request: Request,
    userId: string | undefined,
    answer: (upload: Upload) => Promise<Response>,
  ): Promise<Response> {
    const ofUser = users.filter((id) => id === userId).length;
    if (userId === undefined || users.length >= MOST_AT_ONCE || ofUser >= MOST_OF_USER) {
      await readAtMost(request.body, 0, MAX_READ_BYTES);
      return answer("too many");
    }
    users.push(userId);
    try {
      return await answer(await readUpload(request, limit));
    } finally {
      users.splice(users.indexOf(userId), 1);
    }
  }
}

async function readUpload(request: Request, limit: number): Promise<Upload> {
  const body = await readAtMost(request.body, limit, MAX_READ_BYTES);
  if (!body) return "too large";
  const type = request.headers.get("content-type") ?? "";
  const boundary = MULTIPART.exec(type)?.[1];
  if (!boundary || countParts(body, `--${boundary}`, MAX_PARTS) > MAX_PARTS) return "unreadable";
  return new Response(body, { headers: { "Content-Type": type } }).formData().catch(() => "unreadable");
}
