import { fetchToken } from "./fetch-token.ts";

export interface TokenSync {
  url: string;
  sessionId: string;
}

const RENEW_BEFORE_EXPIRY_MILLISECONDS = 60_000;
const RETRY_MILLISECONDS = 60_000;
const REQUEST_TIMEOUT_MILLISECONDS = 10_000;
const SIGN_OUT_TIMEOUT_MILLISECONDS = 2_000;

const SIGN_OUT_PATH = "/logout";
const STORAGE_KEY = "token-sync";

/** Spec §7: POST and DELETE to another origin. Errors never affect the page. @returns what stops it */
export function startTokenSync({ url, sessionId }: TokenSync, accountMark: string | undefined): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: number | undefined;
  let isSyncing = false;
  let isSigningOut = false;

  document.addEventListener("visibilitychange", syncWhenDue, { signal });
  // Capturing, to run before React's own listeners, which would submit the form.
  document.addEventListener("submit", revokeBeforeSignOut, { signal, capture: true });
  void syncWhenDue();
  return stop;

  function stop(): void {
    stopping.abort();
    clearTimeout(timer);
  }

  /** A hidden page waits until it is visible. */
  async function syncWhenDue(): Promise<void> {
    clearTimeout(timer);
    if (document.hidden || isSyncing || isSigningOut) return;
    isSyncing = true;
    const wait = readDueTime(sessionId) - Date.now();
    const delay = wait > 0 ? wait : await sync();
    isSyncing = false;
    if (!signal.aborted && !isSigningOut) timer = window.setTimeout(syncWhenDue, delay);
  }

  /** @returns when to sync again, in milliseconds from now */
  async function sync(): Promise<number> {
    try {
      const { token, expiresIn } = await fetchToken(signal, accountMark);
      const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MILLISECONDS);
      const response = await send("POST", token, { signal: AbortSignal.any([signal, timeout]) });
      if (!response.ok) return RETRY_MILLISECONDS;
      const delay = Math.max(expiresIn - RENEW_BEFORE_EXPIRY_MILLISECONDS, RETRY_MILLISECONDS);
      const due = Date.now() + delay;
      withStorage((storage) => storage.setItem(STORAGE_KEY, JSON.stringify({ sessionId, due })));
      return delay;
    } catch {
      return RETRY_MILLISECONDS;
    }
  }

  function revokeBeforeSignOut(event: SubmitEvent): void {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || new URL(form.action).pathname !== SIGN_OUT_PATH) return;
    event.preventDefault();
    if (isSigningOut) return;
    isSigningOut = true;
    clearTimeout(timer);
    withStorage((storage) => storage.removeItem(STORAGE_KEY));
    event.submitter?.setAttribute("aria-disabled", "true");
    const timeout = new Promise((resolve) => setTimeout(resolve, SIGN_OUT_TIMEOUT_MILLISECONDS));
    void Promise.race([revoke(), timeout]).then(() => {
      stop();
      form.submit();
    });
  }

  async function revoke(): Promise<void> {
    try {
      const { token } = await fetchToken(signal, accountMark);
      await send("DELETE", token, { keepalive: true });
    } catch {
      // Signing out here must not depend on the other origin.
    }
  }

  function send(method: "POST" | "DELETE", token: string, options: RequestInit): Promise<Response> {
    return fetch(url, { method, headers: { Authorization: `Bearer ${token}` }, ...options });
  }
}

/** In milliseconds since 1970; 0 before the first report. */
function readDueTime(sessionId: string): number {
  const stored = withStorage((storage) => JSON.parse(storage.getItem(STORAGE_KEY) ?? "{}"));
  return stored?.sessionId === sessionId ? Number(stored.due) : 0;
}

/** Without storage, every page reports again. */
function withStorage<Result>(use: (storage: Storage) => Result): Result | null {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}
