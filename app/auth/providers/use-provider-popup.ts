import { type SubmitEvent, useEffect, useState } from "react";
import { useLocation } from "react-router";
import { secondFactorPath } from "../../http/safe-path.ts";
import { useFrame } from "../../ui/frame.ts";
import { openPopup, type Popup, type ProviderRequest } from "./popup.ts";
import type { Provider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** The same may work in this tab. */
const STUCK_POPUP = new Set<SignInError>(["popup-closed-by-user", "internal-error"]);

export interface SignInFailure {
  provider: Provider;
  error: SignInError;
}

interface Progress {
  waitsFor: Provider | null;
  failure: SignInFailure | null;
  /** For a popup that is open or seems stuck. */
  useThisTab: (() => void) | null;
}

const NOTHING: Progress = { waitsFor: null, failure: null, useThisTab: null };

/** One at a time, whichever buttons opened it. */
let open: { provider: Provider; window: Popup; isWaiting: boolean } | null = null;

/**
 * Opens a provider's window, reports its outcome by the codes of spec §8, and continues in this tab only when the browser blocks it.
 * @param authorizedDomains host names on which people may sign in
 * @param origin where they do: a form under another of the site's names leads there
 */
export function useProviderPopup(authorizedDomains: readonly string[], origin: string) {
  const { accountMark } = useFrame();
  const [progress, setProgress] = useState<Progress | null>(null);
  const { key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answer to another form drops what was said of the last press
  useEffect(() => setProgress((now) => now && { ...now, failure: null }), [key]);

  function onSubmit(event: SubmitEvent<HTMLFormElement>, request: ProviderRequest) {
    const { provider } = request;
    const form = event.currentTarget;
    const goOnHere = () => {
      open?.window.cancel();
      open = null;
      form.submit();
    };
    const fail = (error: SignInError) => {
      if (open) open.isWaiting = false;
      const useThisTab = STUCK_POPUP.has(error) ? goOnHere : null;
      setProgress({ waitsFor: null, failure: { provider, error }, useThisTab });
    };
    const obstacle = findObstacle(authorizedDomains);
    if (obstacle || location.origin === origin) event.preventDefault();
    if (obstacle) return fail(obstacle);
    if (location.origin !== origin) return setProgress(NOTHING);
    const cancelled = cancelPopup(provider);
    const opened = openPopup(request, accountMark, (outcome) => {
      if (outcome === "ok") location.assign(request.returnTo);
      else if (outcome === "second-factor") location.assign(secondFactorPath(request.returnTo));
      else if (outcome === "other-account") goOnHere();
      else if (outcome === "confirm-first")
        location.assign(`/account/confirm?${new URLSearchParams({ return_to: request.returnTo })}`);
      else fail(outcome);
    });
    if (!opened) {
      fail("popup-blocked");
      goOnHere();
      return;
    }
    open = { provider, window: opened, isWaiting: true };
    const failure = cancelled && { provider: cancelled, error: "cancelled-popup-request" as const };
    setProgress({ waitsFor: provider, failure, useThisTab: goOnHere });
  }

  return { progress, onSubmit };
}

/** @returns the provider whose window was canceled; the same provider's is used again */
function cancelPopup(next: Provider): Provider | null {
  const current = open;
  open = null;
  if (current?.provider === next) current.window.forget();
  else current?.window.cancel();
  return current?.isWaiting && current.provider !== next ? current.provider : null;
}

/** Why a window cannot succeed here. */
function findObstacle(authorizedDomains: readonly string[]): SignInError | null {
  if (!authorizedDomains.includes(location.hostname)) return "unauthorized-domain";
  if (!navigator.cookieEnabled) return "web-storage-unsupported";
  return navigator.onLine ? null : "network-request-failed";
}
