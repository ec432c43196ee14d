import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { ACCOUNT_HEADER, otherAccountSentence } from "../ui/account-mark.ts";
import { keyFrom } from "./seal.server.ts";

const PURPOSE = "marks of accounts";
const NONCE_PURPOSE = "nonces of marks of accounts";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** More than the longest address makes. */
const LONGEST_MARK = 1000;

interface MarkedAccount {
  id: string;
  /** As of when the page was rendered, so that a later address is not disclosed. */
  email: string;
}

/**
 * The mark of an account for the forms of its pages: its id and address, encrypted, and the same in each of its sessions. The nonce
 * is derived from the text, so that no two texts share one.
 */
export function markAccount(authSecret: string, { id, email }: MarkedAccount): string {
  const text = JSON.stringify([id, email]);
  const nonce = createHmac("sha256", keyFrom(authSecret, NONCE_PURPOSE)).update(text).digest();
  const iv = nonce.subarray(0, NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyFrom(authSecret, PURPOSE), iv);
  const sealed = Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString("base64url");
}

/** The account in a mark; `null` unless AUTH_SECRET made it. */
export function readMark(authSecret: string, mark: string): MarkedAccount | null {
  if (mark.length > LONGEST_MARK) return null;
  const sealed = Buffer.from(mark, "base64url");
  if (sealed.length <= NONCE_BYTES + TAG_BYTES) return null;
  try {
    const key = keyFrom(authSecret, PURPOSE);
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([
      decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]).toString();
    const [id, email]: [string, string] = JSON.parse(text);
    return { id, email };
  } catch {
    return null;
  }
}

/** Whether a mark is of another account. A missing mark is allowed: programs send none. */
export function isMarkOfAnother(
  { config }: Pick<App, "config">,
  mark: unknown,
  user: { id: string },
): boolean {
  return typeof mark === "string" && readMark(config.authSecret, mark)?.id !== user.id;
}

/**
 * Refuses a script's request whose page was rendered for another account. Scripts then send the plain form, whose answer says why
 * (other-account.server.ts).
 */
export function refuseOtherAccount(
  app: Pick<App, "config">,
  { headers }: Pick<Request, "headers">,
  user: MarkedAccount,
): Failure | null {
  const mark = headers.get(ACCOUNT_HEADER);
  if (!isMarkOfAnother(app, mark, user)) return null;
  const named = readMark(app.config.authSecret, mark ?? "")?.email;
  return failure(401, otherAccountSentence(user.email, named));
}
