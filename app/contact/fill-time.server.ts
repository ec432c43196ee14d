import { createHmac, timingSafeEqual } from "node:crypto";

/** The shortest time in which a person can read the page and type a message. */
export const LEAST_SECONDS = 3;

/** The verdict on how long a form took to fill in. */
export type FillTime =
  | { kind: "human" }
  /** Sent too soon. The same signed time is accepted after `retryAfterSeconds`. */
  | { kind: "early"; retryAfterSeconds: number }
  /** Missing, or not signed by us. */
  | { kind: "unknown" };

/** Signs the time a form was rendered. @param now in milliseconds; rounded down to the second */
export function signTime(now: number, secret: string): string {
  const second = String(Math.floor(now / 1000));
  return `${second}.${signatureOf(second, secret).toString("base64url")}`;
}

/**
 * Judges whether a form was open for as long as a person needs. Signed times do not expire, so a tab can stay open for
 * any time.
 *
 * @param now in milliseconds
 */
export function judgeFillTime(signedTime: unknown, now: number, secret: string): FillTime {
  const [, second, signature] =
    /^(\d{1,12})\.([\w-]{43})$/.exec(typeof signedTime === "string" ? signedTime : "") ?? [];
  if (!second || !signature) return { kind: "unknown" };
  if (!timingSafeEqual(Buffer.from(signature, "base64url"), signatureOf(second, secret)))
    return { kind: "unknown" };
  const remainingSeconds = Number(second) + LEAST_SECONDS - now / 1000;
  return remainingSeconds > 0
    ? { kind: "early", retryAfterSeconds: Math.ceil(remainingSeconds) }
    : { kind: "human" };
}

function signatureOf(second: string, secret: string): Buffer {
  return createHmac("sha256", secret).update(`contact form opened at ${second}`).digest();
}
