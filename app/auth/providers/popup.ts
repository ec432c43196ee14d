import { ACCOUNT_FIELD } from "../../ui/account-mark.ts";
import type { Intent, Provider } from "./providers.ts";
import { readSignInError, type SignInError } from "./sign-in-errors.ts";

/** Spec §9, in CSS pixels. */
const SIZE = { width: 500, height: 600 };
const LOOK_MILLISECONDS = 500;
const ASK_MILLISECONDS = 2_000;
/** A window without a request by then is stuck. */
const BEGIN_MILLISECONDS = 15_000;
const PATIENCE_MILLISECONDS = 10 * 60_000;

export interface ProviderRequest {
  provider: Provider;
  intent: Intent;
  returnTo: string;
}

export type Popup = NonNullable<ReturnType<typeof openPopup>>;

/**
 * Opens a provider's window. Call it while a press is handled, or the browser blocks it.
 * `popup.closed` cannot be trusted: with Cross-Origin-Opener-Policy an open window looks closed. So after `popup-closed-by-user` or
 * `internal-error` the real outcome may still follow. Some outcome always comes.
 * @returns `null` when the browser blocked it
 */
export function openPopup(
  { provider, intent, returnTo }: ProviderRequest,
  accountMark: string | undefined,
  onOutcome: (outcome: "ok" | SignInError) => void,
) {
  const nonce = createNonce();
  const query = new URLSearchParams({
    nonce,
    intent,
    return_to: returnTo,
    ...(accountMark && { [ACCOUNT_FIELD]: accountMark }),
  });
  const opened = window.open(`/auth/popup/${provider}?${query}`, `sign-in-${provider}`, features());
  if (!opened || opened.closed) return null;
  opened.focus();

  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<PopupMessage>) => {
    if (data.nonce === nonce) settle(data.outcome);
  };
  let isOver = false;
  let isReported = false;
  const isStuck = setTimeout(lookWhetherBegun, BEGIN_MILLISECONDS);
  const isEnough = setTimeout(endWaiting, PATIENCE_MILLISECONDS);
  let timer = setInterval(lookAtWindow, LOOK_MILLISECONDS);
  return { forget, cancel };

  async function lookAtWindow(): Promise<void> {
    if (!opened?.closed) return;
    askFromNowOn();
    // It may have reported its outcome and closed itself.
    await ask();
    suspect("popup-closed-by-user");
  }

  async function lookWhetherBegun(): Promise<void> {
    const hasBegun = await ask();
    if (hasBegun || isOver) return;
    askFromNowOn();
    suspect("internal-error");
  }

  function askFromNowOn(): void {
    clearInterval(timer);
    timer = setInterval(ask, ASK_MILLISECONDS);
  }

  async function ask(): Promise<boolean> {
    const { outcome, hasBegun } = await fetchOutcome(nonce);
    if (outcome && !isOver) settle(outcome);
    return hasBegun;
  }

  /** Keeps listening for the real outcome. */
  function suspect(error: SignInError): void {
    if (isOver || isReported) return;
    isReported = true;
    onOutcome(error);
  }

  function endWaiting(): void {
    suspect("flow-expired");
    forget();
  }

  function settle(outcome: string): void {
    forget();
    onOutcome(outcome === "ok" ? "ok" : (readSignInError(outcome) ?? "provider-refused"));
  }

  function forget(): void {
    isOver = true;
    clearTimeout(isStuck);
    clearTimeout(isEnough);
    clearInterval(timer);
    channel.close();
  }

  function cancel(): void {
    forget();
    opened?.close();
  }
}

/** crypto.randomUUID is missing on a site without TLS. */
function createNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

function features(): string {
  const left = Math.round(window.screenX + Math.max(0, window.outerWidth - SIZE.width) / 2);
  const top = Math.round(window.screenY + Math.max(0, window.outerHeight - SIZE.height) / 2);
  return `popup=yes,width=${SIZE.width},height=${SIZE.height},left=${left},top=${top}`;
}

async function fetchOutcome(nonce: string): Promise<{ outcome: string | null; hasBegun: boolean }> {
  const unknown = { outcome: null, hasBegun: false };
  try {
    const answer = await fetch(`/auth/popup/outcome?${new URLSearchParams({ nonce })}`);
    return answer.ok ? await answer.json() : unknown;
  } catch {
    return unknown;
  }
}

/** Every page of this site receives it; only the one with the nonce acts. */
const CHANNEL = "sign-in";

/** Nothing that must be hidden from scripts. */
interface PopupMessage {
  nonce: string;
  outcome: string;
}

export const TELL_OPENER = [
  'const q=new URLSearchParams(location.search),nonce=q.get("nonce");',
  `if(nonce){new BroadcastChannel("${CHANNEL}").postMessage({nonce,outcome:q.get("error")||"ok"});`,
  "window.close()}",
].join("");
