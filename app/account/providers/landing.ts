import type { Intent, Provider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** What of a flow says where its browser goes afterwards. */
export interface Journey {
  provider: Provider;
  intent: Intent;
  /** `null` without a popup. */
  popupNonce: string | null;
  returnTo: string;
}

/** What the opener of a popup knows its own by. */
export const POPUP_NONCE = /^[\w-]{16,64}$/;

/** The popup's answers may not cut it off from the page that opened it, as the site's own policy would. */
export const KEEP_OPENER = { "Cross-Origin-Opener-Policy": "unsafe-none" };

/** Where somebody goes who is through. */
export function successPath({ provider, popupNonce, returnTo }: Journey): string {
  return popupNonce ? donePath({ nonce: popupNonce, provider }) : returnTo;
}

/** Where somebody reads why it failed. */
export function failurePath({ provider, intent, popupNonce, returnTo }: Journey, error: SignInError): string {
  if (popupNonce) return donePath({ nonce: popupNonce, provider, error });
  if (intent === "sign_in") return `/login?${new URLSearchParams({ provider, error, return_to: returnTo })}`;
  // Where confirming leads would only ask for it again.
  if (intent === "confirm")
    return `/account/confirm?${new URLSearchParams({ provider, error, return_to: returnTo })}`;
  const url = new URL(returnTo, "http://same.invalid");
  url.searchParams.set("provider", provider);
  url.searchParams.set("error", error);
  return url.pathname + url.search;
}

function donePath(query: Record<string, string>): string {
  return `/auth/popup/done?${new URLSearchParams(query)}`;
}
