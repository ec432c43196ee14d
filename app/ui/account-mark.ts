/** The field by which a form of a signed-in page says whose page it is on: an opaque mark, which the server makes. */
export const ACCOUNT_FIELD = "account";
/** The same for requests of a page's script. */
export const ACCOUNT_HEADER = "X-Account";

/** Why nothing is done for another account than the page was for. `named`: the address the page was for, if that is known. */
export function otherAccountSentence(now: string, named: string | undefined): string {
  return `You’re now signed in as ${now}; this page was for ${named ?? "another account"}.`;
}
