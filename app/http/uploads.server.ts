import { pageUrl } from "./page-url.ts";

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
/** Beside the file, as any other form may have. */
const MAX_FIELDS_BYTES = 64 * KILOBYTE;
/** Read and dropped, because browsers show an answer only once they have sent everything. */
const MAX_READ_BYTES = 64 * MEGABYTE;
/** A file, and the fields of any form. */
const MAX_PARTS = 10;
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
export function isUpload(request: Request, entrance: string): boolean {
  const type = request.headers.get("content-type") ?? "";
  return request.body !== null && /^multipart\//i.test(type) && pageUrl(request).pathname === entrance;
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
      await readWhole(request, 0);
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
  const body = await readWhole(request, limit);
  if (!body) return "too large";
  const type = request.headers.get("content-type") ?? "";
  const boundary = MULTIPART.exec(type)?.[1];
  if (!boundary || countParts(body, boundary) > MAX_PARTS) return "unreadable";
  return new Response(body, { headers: { "Content-Type": type } }).formData().catch(() => "unreadable");
}

/** @returns `null` when it is larger than the limit */
async function readWhole({ body }: Request, limit: number): Promise<Buffer<ArrayBuffer> | null> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_READ_BYTES) break;
    if (size <= limit) chunks.push(chunk);
    else chunks = [];
  }
  return size <= limit ? Buffer.concat(chunks) : null;
}

/** By their delimiters, without parsing them. */
function countParts(body: Buffer, boundary: string): number {
  const delimiter = `--${boundary}`;
  let parts = 0;
  for (
    let at = body.indexOf(delimiter);
    at !== -1 && parts <= MAX_PARTS;
    at = body.indexOf(delimiter, at + 1)
  )
    parts++;
  return parts;
}
