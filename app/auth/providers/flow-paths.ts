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
export function successPath(journey: Journey): string {
  return journey.popupNonce ? donePath(journey) : journey.returnTo;
}

/** Where a browser goes whose sign-in failed. */
export function failurePath(journey: Journey, error: SignInError): string {
  // The pages of an account need what may just be away; this one needs nothing.
  const isOutOfReach = error === "internal-error" && journey.intent !== "sign_in";
  return journey.popupNonce || isOutOfReach ? donePath(journey, error) : pagePath(journey, error);
}

/** The page that says why it failed, beside the way to try again. */
export function pagePath({ provider, intent, returnTo }: Journey, error: SignInError): string {
  if (intent === "sign_in") return `/login?${new URLSearchParams({ provider, error, return_to: returnTo })}`;
  // Where confirming leads would only ask for it again.
  if (intent === "confirm")
    return `/account/confirm?${new URLSearchParams({ provider, error, return_to: returnTo })}`;
  const url = new URL(returnTo, "http://same.invalid");
  url.searchParams.set("provider", provider);
  url.searchParams.set("error", error);
  return url.pathname + url.search;
}

/** A popup's last page; from it one can still go where the journey leads without a popup. */
function donePath({ provider, intent, popupNonce, returnTo }: Journey, error?: SignInError): string {
  const query = new URLSearchParams({ nonce: popupNonce ?? "", provider, intent, return_to: returnTo });
  if (error) query.set("error", error);
  return `/auth/popup/done?${query}`;
}
