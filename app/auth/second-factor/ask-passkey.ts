import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import { ACCOUNT_HEADER } from "../../ui/account-mark.ts";
import { COULD_NOT_REACH } from "../../ui/what-failed.ts";

/** Why no passkey was shown or made, in words. */
const NOT_DONE = "Your browser didn’t use a passkey. Try again, or use a code.";
const NOT_MADE = "Your browser didn’t create a passkey. Try again, or set up an authenticator app.";

/** What the browser's passkey said, for the form's field `passkey`; or why there is nothing. */
export type Asked = { passkey: string } | { problem: string };

/**
 * Has the browser show one of the user's passkeys, or make one. Call it while a press is handled.
 *
 * @param accountMark of the account whose page asks, if it is somebody's
 */
export async function askPasskey(
  purpose: "sign_in" | "confirm" | "add",
  accountMark: string | undefined,
): Promise<Asked> {
  const fetched = await fetchOptions(purpose, accountMark);
  if ("problem" in fetched) return fetched;
  const optionsJSON = fetched.options;
  try {
    const said =
      purpose === "add"
        ? await startRegistration({ optionsJSON })
        : await startAuthentication({ optionsJSON });
    return { passkey: JSON.stringify(said) };
  } catch {
    return { problem: purpose === "add" ? NOT_MADE : NOT_DONE };
  }
}

async function fetchOptions(
  purpose: string,
  accountMark: string | undefined,
  // biome-ignore lint/suspicious/noExplicitAny: the library's two kinds of options, which our own server has just made
): Promise<{ options: any } | { problem: string }> {
  try {
    const answer = await fetch("/auth/passkey-options", {
      method: "POST",
      headers: accountMark ? { [ACCOUNT_HEADER]: accountMark } : {},
      body: new URLSearchParams({ for: purpose }),
    });
    const said = await answer.json();
    return answer.ok ? said : { problem: said.error?.message ?? NOT_DONE };
  } catch {
    return { problem: COULD_NOT_REACH };
  }
}
