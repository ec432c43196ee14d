/** A form's field for whose page it is on: an opaque mark, which the server makes. */
export const ACCOUNT_FIELD = "account";
/** The same for requests of a page's script. */
export const ACCOUNT_HEADER = "X-Account";

/** @param named the address the page was for, if that is known */
export function otherAccountSentence(now: string, named: string | undefined): string {
  return `You’re now signed in as ${now}; this page was for ${named ?? "another account"}.`;
}
