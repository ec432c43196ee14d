import { secondFactorPath } from "../../http/safe-path.ts";
import type { Intent, Provider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

export interface FlowTarget {
  provider: Provider;
  intent: Intent;
  /** `null` without a popup. */
  popupNonce: string | null;
  returnTo: string;
}

export const POPUP_NONCE = /^[\w-]{16,64}$/;

/** The site's own policy would cut the popup off from the page that opened it. */
export const KEEP_OPENER = { "Cross-Origin-Opener-Policy": "unsafe-none" };

export function successPath(target: FlowTarget): string {
  return target.popupNonce ? donePath(target) : target.returnTo;
}

export function failurePath(target: FlowTarget, error: SignInError): string {
  // The account's pages need the database, which may be away.
  const isOutOfReach = error === "internal-error" && target.intent !== "sign_in";
  return target.popupNonce || isOutOfReach ? donePath(target, error) : pagePath(target, error);
}

export function pagePath({ provider, intent, returnTo }: FlowTarget, error: SignInError): string {
  // The provider has identified the user, and the second factor follows.
  if (error === "second-factor") return secondFactorPath(returnTo);
  if (intent === "sign_in") return `/login?${new URLSearchParams({ provider, error, return_to: returnTo })}`;
  // The page that confirming leads to would only ask for it again.
  if (intent === "confirm")
    return `/account/confirm?${new URLSearchParams({ provider, error, return_to: returnTo })}`;
  const url = new URL(returnTo, "http://same.invalid");
  url.searchParams.set("provider", provider);
  url.searchParams.set("error", error);
  return url.pathname + url.search;
}

function donePath({ provider, intent, popupNonce, returnTo }: FlowTarget, error?: SignInError): string {
  const query = new URLSearchParams({ nonce: popupNonce ?? "", provider, intent, return_to: returnTo });
  if (error) query.set("error", error);
  return `/auth/popup/done?${query}`;
}
