import { secondFactorPath } from "../../http/safe-path.ts";
import { ACCOUNT_FIELD } from "../../ui/account-mark.ts";
import { createNotice } from "../../ui/script/notice.ts";
import { openPopup, type Popup } from "../providers/popup.ts";
import { type Intent, isProvider, PROVIDER_NAMES, type Provider } from "../providers/providers.ts";
import { nextStepOf, reasonOf, SIGN_IN_FAILURES, type SignInError } from "../providers/sign-in-errors.ts";

/** May have failed because of the window: the same may work in this tab. */
const STUCK_POPUP = new Set<SignInError>(["popup-closed-by-user", "internal-error"]);

/** The window that is open, and the form whose button opened it. */
interface Open {
  form: HTMLFormElement;
  provider: Provider;
  window: Popup;
  isWaiting: boolean;
}

let open: Open | null = null;

/**
 * Opens a popup for the buttons of the providers, says what became of it, and leads on in this tab only when the browser
 * blocks that. A press drops what the page said before (`data-news`), and so does sending another form.
 */
export function openProviderWindows(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    const provider = form.dataset.provider;
    if (isProvider(provider)) press(event, form, provider);
    else forgetFailures();
  });
}

function press(event: SubmitEvent, form: HTMLFormElement, provider: Provider): void {
  for (const news of document.querySelectorAll("[data-news]")) news.remove();
  const { providerWindows = "", origin } = frameOf(form)?.dataset ?? {};
  const obstacle = findObstacle(providerWindows.split(" "));
  if (obstacle) {
    event.preventDefault();
    fail(form, provider, obstacle);
    return;
  }
  // Under another of the site's names: the form leads to the one where people sign in.
  if (location.origin !== origin) return;
  event.preventDefault();
  const cancelled = cancelPopup(provider);
  const fields = new FormData(form);
  const returnTo = String(fields.get("return_to"));
  const intent = fields.get("intent") as Intent;
  const account = fields.get(ACCOUNT_FIELD) as string | null;
  const opened = openPopup({ provider, intent, returnTo, account }, (outcome) =>
    hear(form, provider, returnTo, outcome),
  );
  if (!opened) {
    fail(form, provider, "popup-blocked");
    goOnInThisTab(form);
    return;
  }
  open = { form, provider, window: opened, isWaiting: true };
  forgetFailures();
  if (cancelled) showFailure(form, cancelled, "cancelled-popup-request");
  sayStatus(form, `Continue in the ${PROVIDER_NAMES[provider]} window.`);
  offerThisTab(form, true);
}

/** Allows one window at a time. @returns the provider whose window was cancelled; the same provider's is used again */
function cancelPopup(next: Provider): Provider | null {
  const current = open;
  open = null;
  if (current?.provider === next) current.window.forget();
  else current?.window.cancel();
  return current?.isWaiting ? current.provider : null;
}

function hear(form: HTMLFormElement, provider: Provider, returnTo: string, outcome: "ok" | SignInError) {
  if (outcome === "ok") location.assign(returnTo);
  else if (outcome === "second-factor") location.assign(secondFactorPath(returnTo));
  // The form's answer names both accounts.
  else if (outcome === "other-account") goOnInThisTab(form);
  else if (outcome === "confirm-first")
    location.assign(`/account/confirm?${new URLSearchParams({ return_to: returnTo })}`);
  else fail(form, provider, outcome);
}

function fail(form: HTMLFormElement, provider: Provider, error: SignInError): void {
  if (open) open.isWaiting = false;
  sayStatus(form, "");
  forgetFailures();
  showFailure(form, provider, error);
  offerThisTab(form, STUCK_POPUP.has(error));
}

/** Goes on as without JavaScript. */
function goOnInThisTab(form: HTMLFormElement): void {
  open?.window.cancel();
  open = null;
  form.submit();
}

/** Why a window cannot succeed here, or `null`. */
function findObstacle(authorizedDomains: readonly string[]): SignInError | null {
  if (!authorizedDomains.includes(location.hostname)) return "unauthorized-domain";
  if (!navigator.cookieEnabled) return "web-storage-unsupported";
  return navigator.onLine ? null : "network-request-failed";
}

function frameOf(form: HTMLFormElement): HTMLElement | null {
  return form.closest<HTMLElement>("[data-provider-windows]");
}

function sayStatus(form: HTMLFormElement, text: string): void {
  const status = frameOf(form)?.querySelector("[role=status]:not([data-code])");
  if (status) status.textContent = text;
}

/** The way on in this tab, for a window that is open or seems stuck. */
function offerThisTab(form: HTMLFormElement, isOffered: boolean): void {
  const frame = frameOf(form);
  frame?.querySelector("[data-this-tab]")?.remove();
  if (!frame || !isOffered) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "min-h-11 justify-self-start underline";
  button.textContent = "Use this tab instead";
  button.dataset.thisTab = "";
  button.addEventListener("click", () => goOnInThisTab(form));
  frame.querySelector(".providers")?.append(button);
}

function forgetFailures(): void {
  for (const notice of document.querySelectorAll("[data-failure-notice]")) notice.remove();
  if (!open?.isWaiting) document.querySelector("[data-this-tab]")?.remove();
}

/** As the page does for a failure in its address. */
function showFailure(form: HTMLFormElement, provider: Provider, error: SignInError): void {
  // No failure: the sign-in goes on in this tab.
  const goesOn = error === "popup-blocked";
  const reason = reasonOf(provider, error);
  const notice = createNotice(
    goesOn ? "plain" : "bad",
    goesOn ? [reason] : [SIGN_IN_FAILURES[provider], reason],
    error,
  );
  const nextStep = nextStepOf(error);
  if (nextStep) {
    const link = Object.assign(document.createElement("a"), {
      className: "button",
      href: nextStep.href,
      textContent: nextStep.label,
    });
    link.dataset.quiet = "true";
    const line = Object.assign(document.createElement("p"), { className: "pt-3" });
    line.append(link);
    notice.append(line);
  }
  const framed = document.createElement("div");
  framed.dataset.failureNotice = "";
  framed.append(notice);
  frameOf(form)?.prepend(framed);
}
