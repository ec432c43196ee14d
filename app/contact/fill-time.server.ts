import { createHmac, timingSafeEqual } from "node:crypto";

/** Nobody reads the page and types a message in less. */
export const LEAST_SECONDS = 3;

/** What a form's signed time says about how it was filled in. */
export type FillTime =
  | { kind: "human" }
  /** Sent at once. After these seconds the same time is good. */
  | { kind: "early"; retryAfterSeconds: number }
  /** Missing, or not signed by us. */
  | { kind: "unknown" };

/** The time a page with a form was made, so that nobody can make up another. @param now in milliseconds; kept to the second */
export function signTime(now: number, secret: string): string {
  const second = String(Math.floor(now / 1000));
  return `${second}.${signatureOf(second, secret).toString("base64url")}`;
}

/**
 * Whether a form was out for as long as a person needs. A time of any age is good: a tab left open loses nothing.
 *
 * @param now in milliseconds
 */
export function judgeFillTime(signedTime: unknown, now: number, secret: string): FillTime {
  const [, second, signature] =
    /^(\d{1,12})\.([\w-]{43})$/.exec(typeof signedTime === "string" ? signedTime : "") ?? [];
  if (!second || !signature) return { kind: "unknown" };
  if (!timingSafeEqual(Buffer.from(signature, "base64url"), signatureOf(second, secret)))
    return { kind: "unknown" };
  const missing = Number(second) + LEAST_SECONDS - now / 1000;
  return missing > 0 ? { kind: "early", retryAfterSeconds: Math.ceil(missing) } : { kind: "human" };
}

function signatureOf(second: string, secret: string): Buffer {
  return createHmac("sha256", secret).update(`contact form opened at ${second}`).digest();
}
