import { withoutInvisible } from "./typed-text.ts";

/** HTML Standard, "valid email address", so that no address in use is refused. */
const VALID =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** RFC 5321 §4.5.3.1, in characters; a path of 256 has angle brackets. */
export const ADDRESS_MAX_LENGTH = 254;
const LOCAL_PART_MAX_LENGTH = 64;

/** Zero width joiners distinguish some domains in Indic scripts and Persian (RFC 5892, appendix A). */
const JOINERS = /[\u200c\u200d]/;

/** As `foldAddress` writes it. */
export function isEmailAddress(text: string): boolean {
  return (
    text.length <= ADDRESS_MAX_LENGTH && text.lastIndexOf("@") <= LOCAL_PART_MAX_LENGTH && VALID.test(text)
  );
}

/** RFC 6531: only some mail servers take them, and no `<input type=email>`. */
export function hasInternationalLocalPart(text: string): boolean {
  return /[^\0-\x7f].*@/u.test(text);
}

/** NFKC, without invisible characters and outer blanks; the domain as A-labels (IDNA). Limit the length first: long text takes long. */
export function foldAddress(typed: string): string {
  const text = withoutInvisible(typed).normalize("NFKC").trim();
  const at = text.lastIndexOf("@");
  const domain = text.slice(at + 1);
  if (at < 0 || /^[\0-\x7f]*$/.test(domain)) return text;
  const withJoiners = JOINERS.test(typed) ? toAscii(typed.normalize("NFKC").split("@").at(-1) ?? "") : null;
  return text.slice(0, at + 1) + (withJoiners ?? toAscii(domain) ?? domain);
}

function toAscii(domain: string): string | null {
  // A URL would end its host there, or read something else before it.
  if (/[\0-\x20\x7f#%/:<>?@[\\\]^|]/.test(domain)) return null;
  return URL.parse(`http://${domain}`)?.hostname || null;
}
