import { ACCOUNT_HEADER } from "../ui/account-mark.ts";
import type { AccessToken } from "./token.ts";

const RENEW_BEFORE_EXPIRY_MILLISECONDS = 60_000;
/** A token this close to its end could expire on its way. */
const MIN_LIFETIME_MILLISECONDS = 5_000;
const RETRY_MILLISECONDS = 5_000;

export interface KeptToken {
  /** Cheap to call often; never throws. */
  prepare(): void;
  /** `null`: none came, and the session cookie has to do. */
  current(): string | null;
}

/**
 * In memory only, renewed a minute before its end, on a hidden page once that is seen again. Failures are retried by the next
 * `prepare`.
 * @param stopped ends it
 * @param accountMark of the account whose page it is
 */
export function keepToken(stopped: AbortSignal, accountMark: string | undefined): KeptToken {
  let kept: { token: string; endsAt: number } | null = null;
  let timer: number | undefined;
  let isFetching = false;
  let failedAt = Number.NEGATIVE_INFINITY;

  document.addEventListener("visibilitychange", prepare, { signal: stopped });
  stopped.addEventListener("abort", () => clearTimeout(timer));
  return { prepare, current: () => (remaining() > MIN_LIFETIME_MILLISECONDS ? (kept?.token ?? null) : null) };

  function remaining(): number {
    return (kept?.endsAt ?? 0) - performance.now();
  }

  function prepare(): void {
    if (stopped.aborted || document.hidden || isFetching) return;
    if (remaining() > RENEW_BEFORE_EXPIRY_MILLISECONDS) return;
    if (performance.now() - failedAt < RETRY_MILLISECONDS) return;
    isFetching = true;
    void fetchToken(stopped, accountMark)
      .then(keep, () => {
        failedAt = performance.now();
      })
      .finally(() => {
        isFetching = false;
      });
  }

  function keep({ token, expiresIn }: { token: string; expiresIn: number }): void {
    kept = { token, endsAt: performance.now() + expiresIn };
    clearTimeout(timer);
    timer = window.setTimeout(prepare, Math.max(expiresIn - RENEW_BEFORE_EXPIRY_MILLISECONDS, 0) + 1);
  }
}

const TIMEOUT_MILLISECONDS = 10_000;

/** `expiresIn` in milliseconds by the server's clock. @throws when there is none */
export async function fetchToken(signal: AbortSignal, accountMark: string | undefined) {
  const response = await fetch("/api/token", {
    headers: accountMark ? { [ACCOUNT_HEADER]: accountMark } : {},
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]),
  });
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  const { token, expiresAt }: AccessToken = await response.json();
  const now = Date.parse(response.headers.get("Date") ?? "") || Date.now();
  return { token, expiresIn: Date.parse(expiresAt) - now };
}
