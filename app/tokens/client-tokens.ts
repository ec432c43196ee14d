type TokenSource = string | (() => string | null | undefined | Promise<string | null | undefined>);

declare global {
  interface Window {
    /** Set by the app that shows this page, if it has such tokens (docs/integrate.md). */
    callableTokens?: { messaging?: TokenSource; appCheck?: TokenSource };
  }
}

const PATIENCE_MILLISECONDS = 3_000;
/** Anything else in a header would make the whole call fail. */
const HEADER_VALUE = /^[\x21-\x7e]{1,4096}$/;

/** Messaging and app-check tokens (spec §7), if the page has them. Never throws. */
export async function clientTokenHeaders(): Promise<Record<string, string>> {
  const { messaging, appCheck } = window.callableTokens ?? {};
  const tokens = await Promise.all([
    readToken("Firebase-Instance-ID-Token", messaging),
    readToken("X-Firebase-AppCheck", appCheck),
  ]);
  return Object.fromEntries(tokens.flatMap((token) => token ?? []));
}

async function readToken(
  header: string,
  source: TokenSource | undefined,
): Promise<[[string, string]] | null> {
  try {
    const tooLate = new Promise<null>((resolve) => setTimeout(resolve, PATIENCE_MILLISECONDS, null));
    const token = await (typeof source === "function" ? Promise.race([source(), tooLate]) : source);
    return typeof token === "string" && HEADER_VALUE.test(token) ? [[header, token]] : null;
  } catch {
    // A missing token must not prevent a payment.
    return null;
  }
}
