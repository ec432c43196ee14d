import type { Intent, Provider } from "./providers.ts";
import { readSignInError, type SignInError } from "./sign-in-errors.ts";
import { CHANNEL, type Told } from "./tell-opener.ts";

/** Spec §9, in CSS pixels. */
const SIZE = { width: 500, height: 600 };
const LOOK_MILLISECONDS = 500;
const ASK_MILLISECONDS = 2_000;
/** A window that has not been here by then is stuck on its way. */
const BEGIN_MILLISECONDS = 15_000;
/** As long as somebody may take at the provider. */
const PATIENCE_MILLISECONDS = 10 * 60_000;

/** A popup under way. */
export interface Popup {
  /** Hears no more of it, and leaves the window as it is. */
  forget(): void;
  /** Hears no more of it, and closes the window where the browser lets us. */
  cancel(): void;
}

/**
 * Opens the window of a provider; to be called while a press is handled, or the browser blocks it.
 *
 * Whether a window is closed the browser may not tell truly: a provider that cuts itself off (Cross-Origin-Opener-Policy)
 * looks closed while it is open. So `popup-closed-by-user` is told when it seems so, and an outcome may follow it; and
 * so it may after `internal-error` from a window that seems not to get through to us. In the end something is told.
 *
 * @returns `null` when the browser blocked it
 */
export function openPopup(
  { provider, intent, returnTo }: { provider: Provider; intent: Intent; returnTo: string },
  onOutcome: (outcome: "ok" | SignInError) => void,
): Popup | null {
  const nonce = createNonce();
  const query = new URLSearchParams({ nonce, intent, return_to: returnTo });
  const opened = window.open(`/auth/popup/${provider}?${query}`, `sign-in-${provider}`, features());
  if (!opened || opened.closed) return null;
  opened.focus();

  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<Told>) => {
    if (data.nonce === nonce) settle(data.outcome);
  };
  let isOver = false;
  let isTold = false;
  const isStuck = setTimeout(lookWhetherBegun, BEGIN_MILLISECONDS);
  const isEnough = setTimeout(endWaiting, PATIENCE_MILLISECONDS);
  let timer = setInterval(lookAtWindow, LOOK_MILLISECONDS);
  return { forget, cancel };

  async function lookAtWindow(): Promise<void> {
    if (!opened?.closed) return;
    askFromNowOn();
    // It may have told its outcome and closed itself: only who got no answer is told that it was closed.
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

  /** @returns whether the window was here; not either when nobody can be asked */
  async function ask(): Promise<boolean> {
    const { outcome, hasBegun } = await fetchOutcome(nonce);
    if (outcome && !isOver) settle(outcome);
    return hasBegun;
  }

  /** Tells what it looks like, once, and goes on listening for what it is. */
  function suspect(error: SignInError): void {
    if (isOver || isTold) return;
    isTold = true;
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

/** Known to this page and its popup; also where crypto.randomUUID is missing, on a site without TLS. */
function createNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** In the middle of the window it is opened from. */
function features(): string {
  const left = Math.round(window.screenX + Math.max(0, window.outerWidth - SIZE.width) / 2);
  const top = Math.round(window.screenY + Math.max(0, window.outerHeight - SIZE.height) / 2);
  return `popup=yes,width=${SIZE.width},height=${SIZE.height},left=${left},top=${top}`;
}

/** What the site knows of a popup; nothing when it cannot be asked. */
async function fetchOutcome(nonce: string): Promise<{ outcome: string | null; hasBegun: boolean }> {
  const unknown = { outcome: null, hasBegun: false };
  try {
    const answer = await fetch(`/auth/popup/outcome?${new URLSearchParams({ nonce })}`);
    return answer.ok ? await answer.json() : unknown;
  } catch {
    return unknown;
  }
}
