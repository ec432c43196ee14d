import type { AccessToken } from "./access-token.server.ts";

/** Where a signed-in page tells somebody else who it is signed in as, and for which session. */
export interface TokenSync {
  url: string;
  sessionId: string;
}

/** In milliseconds. */
const BEFORE_THE_END = 60_000;
const UNTIL_NEXT_TRY = 60_000;
const LONGEST_ANSWER = 10_000;
const LONGEST_GOODBYE = 2_000;

const SIGN_OUT = "/logout";
const MEMORY = "token-sync";

/**
 * Keeps another origin told of who is signed in here (spec §7): POST with a bearer token on sign-in and before each
 * token ends, DELETE with one on sign-out. Whatever goes wrong with that, the page goes on as if it had not been tried.
 *
 * @returns what ends it
 */
export function startTokenSync({ url, sessionId }: TokenSync): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let timer: number | undefined;
  let isTelling = false;
  let isLeaving = false;

  document.addEventListener("visibilitychange", tellWhenDue, { signal });
  // Before React's own listeners, so that a form it would send waits, too.
  document.addEventListener("submit", sayGoodbyeFirst, { signal, capture: true });
  void tellWhenDue();
  return stop;

  function stop(): void {
    ending.abort();
    clearTimeout(timer);
  }

  /** A page that nobody looks at waits until somebody does. */
  async function tellWhenDue(): Promise<void> {
    clearTimeout(timer);
    if (document.hidden || isTelling || isLeaving) return;
    isTelling = true;
    const wait = recallDue(sessionId) - Date.now();
    const untilNext = wait > 0 ? wait : await tell();
    isTelling = false;
    if (!signal.aborted && !isLeaving) timer = window.setTimeout(tellWhenDue, untilNext);
  }

  /** @returns how long to wait before it is due again, in milliseconds */
  async function tell(): Promise<number> {
    try {
      const { token, lifeLeft } = await fetchToken(signal);
      const heard = await send("POST", token, { signal: within(LONGEST_ANSWER, signal) });
      if (!heard.ok) return UNTIL_NEXT_TRY;
      const untilNext = Math.max(lifeLeft - BEFORE_THE_END, UNTIL_NEXT_TRY);
      remember(sessionId, Date.now() + untilNext);
      return untilNext;
    } catch {
      return UNTIL_NEXT_TRY;
    }
  }

  function sayGoodbyeFirst(event: SubmitEvent): void {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || new URL(form.action).pathname !== SIGN_OUT) return;
    event.preventDefault();
    if (isLeaving) return;
    isLeaving = true;
    clearTimeout(timer);
    forget();
    event.submitter?.setAttribute("aria-disabled", "true");
    const patience = new Promise((resolve) => setTimeout(resolve, LONGEST_GOODBYE));
    void Promise.race([sayGoodbye(), patience]).then(() => {
      stop();
      form.submit();
    });
  }

  async function sayGoodbye(): Promise<void> {
    try {
      const { token } = await fetchToken(signal);
      await send("DELETE", token, { keepalive: true });
    } catch {
      // Signing out here does not wait for signing out there.
    }
  }

  function send(method: "POST" | "DELETE", token: string, options: RequestInit): Promise<Response> {
    return fetch(url, { method, headers: { Authorization: `Bearer ${token}` }, ...options });
  }
}

/** @returns the token, and for how many milliseconds it is good by the server's own clock */
async function fetchToken(signal: AbortSignal): Promise<{ token: string; lifeLeft: number }> {
  const response = await fetch("/api/token", { signal: within(LONGEST_ANSWER, signal) });
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  const { token, expiresAt }: AccessToken = await response.json();
  const now = Date.parse(response.headers.get("Date") ?? "") || Date.now();
  return { token, lifeLeft: Date.parse(expiresAt) - now };
}

function within(milliseconds: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
}

/** When this session is to be told of again, in milliseconds since 1970; 0 when it never was. */
function recallDue(sessionId: string): number {
  try {
    const memory = JSON.parse(sessionStorage.getItem(MEMORY) ?? "{}");
    return memory.sessionId === sessionId ? Number(memory.due) : 0;
  } catch {
    return 0;
  }
}

function remember(sessionId: string, due: number): void {
  try {
    sessionStorage.setItem(MEMORY, JSON.stringify({ sessionId, due }));
  } catch {
    // Without storage every page tells anew.
  }
}

function forget(): void {
  try {
    sessionStorage.removeItem(MEMORY);
  } catch {
    // Nothing is kept there.
  }
}
