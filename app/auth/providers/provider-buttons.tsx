import { type FormEvent, useEffect, useRef, useState } from "react";
import { useActionData } from "react-router";
import { secondFactorPath } from "../../http/safe-path.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useSite } from "../../ui/site.ts";
import type { EnabledProviders } from "./enabled-providers.server.ts";
import { openPopup, type Popup } from "./popup.ts";
import { ProviderMark } from "./provider-mark.tsx";
import { type Intent, PROVIDER_NAMES, type Provider } from "./providers.ts";
import { nextStepOf, reasonOf, SIGN_IN_FAILURES, type SignInError } from "./sign-in-errors.ts";

const LABELS: Record<Intent, (name: string) => string> = {
  sign_in: (name) => `Continue with ${name}`,
  connect: (name) => `Connect ${name}`,
  confirm: (name) => `Confirm with ${name}`,
};

/** May have failed because of the window: the same may work in this tab. */
const STUCK_POPUP = new Set<SignInError>(["popup-closed-by-user", "internal-error"]);

interface Failure {
  provider: Provider;
  error: SignInError;
  /** Whether the page's address says it, after a redirect. */
  isFromAddress?: boolean;
}

/**
 * A button for each enabled provider, and what became of the last press. Each is a plain form; with JavaScript it opens a
 * popup, and leads on in this tab only when the browser blocks that.
 *
 * @param returnTo where to go on afterwards
 * @param only shows no other providers than these
 * @param onPress called with every press, so that the page can drop what it said before
 */
export function ProviderButtons(props: {
  offer: EnabledProviders;
  intent: Intent;
  returnTo: string | ((provider: Provider) => string);
  only?: Provider[];
  onPress?: () => void;
}) {
  const { offer, intent, only, onPress } = props;
  const [failure, setFailure] = useState<Failure | null>(
    offer.failure && { ...offer.failure, isFromAddress: true },
  );
  const [waitingFor, setWaitingFor] = useState<Provider | null>(null);
  const popup = useRef<{ provider: Provider; window: Popup } | null>(null);
  const forms = useRef(new Map<Provider, HTMLFormElement>());
  const site = useSite();
  // Once a form of the page has been answered, what the address says is old news.
  const isOldNews = useActionData() !== undefined && failure?.isFromAddress;
  useEffect(() => () => popup.current?.window.forget(), []);
  useEffect(() => {
    // So it is once another form of the page was submitted, even if checks in the browser hold it back.
    function forgetFailure({ target }: Event): void {
      if (![...forms.current.values()].some((form) => form === target)) setFailure(null);
    }
    document.addEventListener("submit", forgetFailure);
    return () => document.removeEventListener("submit", forgetFailure);
  }, []);

  const shown = offer.providers.filter((provider) => only?.includes(provider) ?? true);
  const isStuck = failure && !failure.isFromAddress && STUCK_POPUP.has(failure.error);
  const stuckProvider = waitingFor ?? (isStuck ? failure.provider : null);
  const shownFailure = isOldNews ? null : failure;
  if (shown.length === 0 && !shownFailure) return null;
  return (
    <div className="grid gap-6">
      {shownFailure && <FailureNotice failure={shownFailure} />}
      <div className="providers">
        {shown.map((provider) => (
          <form
            key={provider}
            method="post"
            action={`/auth/start/${provider}`}
            onSubmit={(event) => press(event, provider)}
            ref={(form) => {
              if (form) forms.current.set(provider, form);
            }}
          >
            <input type="hidden" name="intent" value={intent} />
            <input type="hidden" name="return_to" value={returnToOf(provider)} />
            <button type="submit" className="button w-full" data-quiet>
              <span className="inline-flex items-center gap-3">
                <ProviderMark provider={provider} />
                {LABELS[intent](PROVIDER_NAMES[provider])}
              </span>
            </button>
          </form>
        ))}
        <p role="status">{waitingFor && `Continue in the ${PROVIDER_NAMES[waitingFor]} window.`}</p>
        {stuckProvider && (
          <button
            type="button"
            className="min-h-11 justify-self-start underline"
            onClick={() => goOnInThisTab(stuckProvider)}
          >
            Use this tab instead
          </button>
        )}
      </div>
    </div>
  );

  function returnToOf(provider: Provider): string {
    return typeof props.returnTo === "string" ? props.returnTo : props.returnTo(provider);
  }

  function press(event: FormEvent, provider: Provider): void {
    onPress?.();
    const obstacle = findObstacle(offer);
    if (obstacle) {
      event.preventDefault();
      fail(provider, obstacle);
      return;
    }
    // Under another of the site's names: the form leads to the one where people sign in.
    if (location.origin !== site.origin) return;
    event.preventDefault();
    const cancelled = cancelPopup(provider);
    const opened = openPopup({ provider, intent, returnTo: returnToOf(provider) }, (outcome) =>
      hear(provider, outcome),
    );
    if (!opened) {
      fail(provider, "popup-blocked");
      goOnInThisTab(provider);
      return;
    }
    popup.current = { provider, window: opened };
    setWaitingFor(provider);
    setFailure(cancelled && { provider: cancelled, error: "cancelled-popup-request" });
  }

  /** Allows one window at a time. @returns the provider whose window was cancelled; the same provider's is used again */
  function cancelPopup(next: Provider): Provider | null {
    const current = popup.current;
    popup.current = null;
    if (current?.provider === next) current.window.forget();
    else current?.window.cancel();
    return waitingFor && current ? current.provider : null;
  }

  function hear(provider: Provider, outcome: "ok" | SignInError): void {
    const returnTo = returnToOf(provider);
    if (outcome === "ok") location.assign(returnTo);
    else if (outcome === "second-factor") location.assign(secondFactorPath(returnTo));
    else if (outcome === "confirm-first")
      location.assign(`/account/confirm?${new URLSearchParams({ return_to: returnTo })}`);
    else fail(provider, outcome);
  }

  function fail(provider: Provider, error: SignInError): void {
    setWaitingFor(null);
    setFailure({ provider, error });
  }

  /** Goes on as without JavaScript. */
  function goOnInThisTab(provider: Provider): void {
    popup.current?.window.cancel();
    popup.current = null;
    forms.current.get(provider)?.submit();
  }
}

/** Why a window cannot succeed here, or `null`. */
function findObstacle({ authorizedDomains }: EnabledProviders): SignInError | null {
  if (!authorizedDomains.includes(location.hostname)) return "unauthorized-domain";
  if (!navigator.cookieEnabled) return "web-storage-unsupported";
  return navigator.onLine ? null : "network-request-failed";
}

function FailureNotice({ failure: { provider, error, isFromAddress } }: { failure: Failure }) {
  // No failure: the sign-in goes on in this tab.
  const goesOn = error === "popup-blocked";
  const nextStep = nextStepOf(error);
  return (
    // biome-ignore lint/a11y/noAutofocus: after a redirect it is what the page is about
    <div tabIndex={-1} autoFocus={isFromAddress}>
      <Notice tone={goesOn ? "plain" : "bad"} code={error}>
        {!goesOn && <p className="font-semibold">{SIGN_IN_FAILURES[provider]}</p>}
        <p>{reasonOf(provider, error)}</p>
        {nextStep && (
          <p className="pt-3">
            <ButtonLink href={nextStep.href} isQuiet>
              {nextStep.label}
            </ButtonLink>
          </p>
        )}
      </Notice>
    </div>
  );
}
