import { execFile } from "node:child_process";
import { join } from "node:path";
import { type Failure, failure } from "../../http/errors.ts";
import { EXIT_TOO_MANY_PIXELS, EXIT_UNREADABLE } from "./encoder-exits.ts";

const ENCODER = join(import.meta.dirname, "encoder.ts");
const TIMEOUT_MILLISECONDS = 10_000;
/** Many times the size of an encoded photo. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

const UNREADABLE = failure(400, "We couldn’t read this photo. Save it as a JPEG, PNG, or WebP and try again");
const NOT_A_PHOTO = failure(400, "Choose a JPEG, PNG, or WebP");
const HEIC = failure(400, "We can’t read HEIC photos. Save it as a JPEG and try again");
const TOO_MANY_PIXELS = failure(400, "This photo has too many pixels. Make it smaller and try again");

/** The first bytes of JPEG, PNG and WebP, in Latin-1. */
const BEGINNINGS = [/^\xff\xd8\xff/, /^\x89PNG/, /^RIFF.{4}WEBP/s];
/** The brands of phones' photos (ISO/IEC 14496-12 §4.3). */
const HEIC_BEGINNING = /^.{4}ftyp(hei|hev|mif1|msf1)/s;

/** The encoding before: one runs at a time, so that photos never take more than one processor. */
let last: Promise<unknown> = Promise.resolve();

/**
 * A small square JPEG with nothing but the photo's pixels. A process of its own decodes it, so that a decoder that takes all memory,
 * hangs or is taken over harms nothing and finds no secret (decision 0087). Failures: 400 no photo, or an unreadable one.
 */
export function encodePhoto(file: Blob): Promise<{ ok: true; jpeg: Buffer } | Failure> {
  const mine = last.then(() => encode(file));
  last = mine.catch(() => {});
  return mine;
}

async function encode(file: Blob): Promise<{ ok: true; jpeg: Buffer } | Failure> {
  const beginning = Buffer.from(await file.slice(0, 16).arrayBuffer()).toString("latin1");
  if (HEIC_BEGINNING.test(beginning)) return HEIC;
  if (!BEGINNINGS.some((known) => known.test(beginning))) return NOT_A_PHOTO;
  const bytes = Buffer.from(await file.arrayBuffer());
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [ENCODER],
      {
        encoding: "buffer",
        env: {},
        timeout: TIMEOUT_MILLISECONDS,
        killSignal: "SIGKILL",
        maxBuffer: MAX_OUTPUT_BYTES,
      },
      (error, jpeg, complaint) => {
        if (!error) resolve({ ok: true, jpeg });
        else if (error.code === EXIT_TOO_MANY_PIXELS) resolve(TOO_MANY_PIXELS);
        // A signal: it took too long, or too much memory.
        else if (error.code === EXIT_UNREADABLE || error.signal) resolve(UNREADABLE);
        else reject(new Error(`photos cannot be encoded: ${complaint.toString().trim()}`, { cause: error }));
      },
    );
    // It may end before it has read all.
    child.stdin?.on("error", () => {});
    child.stdin?.end(bytes);
  });
}
