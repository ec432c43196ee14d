import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** A person needs longer to read the page and type a message. */
export const LEAST_SECONDS = 3;

/** An older form is given a new token. Until then a sent form is remembered. */
export const FORM_DAYS = 30;

/** `id` is the form's own: what is sent with it is sent once. */
export type FillTime =
  | { kind: "human"; id: string }
  /** Sent too fast for a person, for whom it would take `remainingSeconds` more. */
  | { kind: "early"; id: string; remainingSeconds: number }
  /** Missing, not signed by us, or too old. */
  | { kind: "unknown" };

/** With an id of its own. @param now in milliseconds; rounded down to the second */
export function signTime(now: number, secret: string): string {
  const opened = `${Math.floor(now / 1000)}.${randomBytes(16).toString("base64url")}`;
  return `${opened}.${signatureOf(opened, secret).toString("base64url")}`;
}

/** @param now in milliseconds. @param secrets any of which may have signed it */
export function judgeFillTime(signedTime: unknown, now: number, secrets: readonly string[]): FillTime {
  const [, second, id, signature] =
    /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/.exec(typeof signedTime === "string" ? signedTime : "") ?? [];
  if (!second || !id || !signature) return { kind: "unknown" };
  const given = Buffer.from(signature, "base64url");
  if (!secrets.some((secret) => timingSafeEqual(given, signatureOf(`${second}.${id}`, secret))))
    return { kind: "unknown" };
  const openSeconds = now / 1000 - Number(second);
  if (openSeconds > FORM_DAYS * 24 * 60 * 60) return { kind: "unknown" };
  // Another process's clock may be ahead of ours.
  const remainingSeconds = Math.min(LEAST_SECONDS - openSeconds, LEAST_SECONDS);
  return remainingSeconds > 0 ? { kind: "early", id, remainingSeconds } : { kind: "human", id };
}

function signatureOf(opened: string, secret: string): Buffer {
  return createHmac("sha256", secret).update(`contact form opened at ${opened}`).digest();
}
