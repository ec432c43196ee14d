import type {
  Browser,
  BrowserContextOptions,
  PlaywrightTestOptions,
  PlaywrightWorkerOptions,
} from "@playwright/test";

/** Where Debian's package firefox-esr puts it. */
export const FIREFOX = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

/** An installed Firefox, which Playwright drives by WebDriver BiDi. Its own Firefox would be downloaded from elsewhere. */
export const firefox: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = {
  browserName: "firefox",
  channel: "moz-firefox",
  launchOptions: {
    executablePath: FIREFOX,
    args: ["--remote-allow-system-access"],
    firefoxUserPrefs: {
      // Firefox 153 crashes when scripts of two worlds, as Playwright's and the page's, read one element's `ariaLabelledByElements`.
      // Without it Playwright finds the labels by their ids.
      "accessibility.ARIAElementReflection.enabled": false,
      // A page that Back or Forward takes from memory has no load event, for which Playwright waits. Its Chromium keeps none either.
      "browser.sessionhistory.max_total_viewers": 0,
      // Keys are those that a test plugs in, and no other.
      "security.webauth.webauthn_enable_softtoken": true,
      "security.webauth.webauthn_enable_usbtoken": false,
      // A mouse, which it does not find without a screen: fine (2), and hovers (4).
      "ui.primaryPointerCapabilities": 6,
      "ui.allPointerCapabilities": 6,
    },
  },
};

/** Why Playwright's actions cannot run there: they wait for promises of its own scripts, which never settle on such a page. */
export const NO_PLAIN_PAGES = "Playwright cannot press or fill anything in a Firefox without JavaScript";

/** The browser behind Playwright's, as far as it is used here. */
interface BidiBrowser {
  _browserSession: BidiSession;
  doCreateNewContext(options: BrowserContextOptions): Promise<unknown>;
}

interface BidiSession {
  send(method: string, params: object): Promise<unknown>;
}

/**
 * Does what WebDriver BiDi has no command for in Firefox yet: pages without JavaScript, with little motion, and in a color scheme.
 * Each is a preference of the whole browser, which has one page in such a state at a time.
 */
export async function completeFirefox(browser: Browser): Promise<void> {
  // Its events come in another order, after which Playwright would wait for a page that has been there for long.
  process.env.PLAYWRIGHT_SKIP_NAVIGATION_CHECK = "1";
  const bidi = bidiOf(browser);
  const { doCreateNewContext } = bidi;
  bidi.doCreateNewContext = async (options) => {
    await prefer(browser, "javascript.enabled", options.javaScriptEnabled !== false);
    await prefer(browser, "ui.prefersReducedMotion", options.reducedMotion === "reduce" ? 1 : 0);
    return doCreateNewContext.call(bidi, options);
  };
  await bidi._browserSession.send("script.addPreloadScript", { functionDeclaration: String(fillAsTyped) });
  // Of all sessions: every page has one of its own.
  const sessions = Object.getPrototypeOf(bidi._browserSession);
  const { send } = sessions;
  sessions.send = function sendOrPrefer(this: BidiSession, method: string, params: object) {
    if (method !== "emulation.setMediaFeaturesOverride") return send.call(this, method, params);
    const { features } = params as { features: Record<string, string | null> };
    return prefer(
      browser,
      "layout.css.prefers-color-scheme.content-override",
      features["prefers-color-scheme"] === "dark" ? 0 : 1,
    );
  };
}

/**
 * Playwright fills a field by setting its value and telling so, which React does not count as a change, and adds to fields for
 * addresses. This inserts the text as typing does. Runs in every page, before its scripts.
 */
function fillAsTyped(): void {
  const insert = (text: string) => {
    if (document.activeElement instanceof HTMLIFrameElement) return document.activeElement;
    document.execCommand("insertText", false, text);
  };
  Object.defineProperty(window, "__pw_bidiInsertText", { get: () => insert, set() {} });
}

/** Sets a preference, as about:config does. */
async function prefer(browser: Browser, name: string, value: number | boolean): Promise<void> {
  const kind = typeof value === "number" ? "Int" : "Bool";
  await runPrivileged(browser, `Services.prefs.set${kind}Pref(${JSON.stringify(name)}, ${value})`);
}

/** Plugs in a security key that is always pressed (WebAuthn level 3, §11). @returns its number */
export async function addSecurityKey(browser: Browser): Promise<string> {
  return runPrivileged(browser, `${KEYS}.addVirtualAuthenticator("ctap2", "usb", false, false, true, false)`);
}

export async function removeSecurityKey(browser: Browser, key: string): Promise<void> {
  await runPrivileged(browser, `${KEYS}.removeVirtualAuthenticator(${JSON.stringify(key)})`);
}

const KEYS = `Cc["@mozilla.org/webauthn/service;1"].getService(Ci.nsIWebAuthnService)`;

/** Runs a script with the rights of the browser itself, in its window. */
async function runPrivileged(browser: Browser, expression: string): Promise<string> {
  const session = bidiOf(browser)._browserSession;
  const tree = await session.send("browsingContext.getTree", { "moz:scope": "chrome", maxDepth: 0 });
  const [window] = (tree as { contexts: { context: string }[] }).contexts;
  const target = { context: window?.context };
  const answer = await session.send("script.evaluate", { expression, target, awaitPromise: true });
  const { result, exceptionDetails } = answer as {
    result?: { value: string };
    exceptionDetails?: { text: string };
  };
  if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
  return result?.value ?? "";
}

function bidiOf(browser: Browser): BidiBrowser {
  const { _connection } = browser as unknown as { _connection: { toImpl(browser: Browser): BidiBrowser } };
  return _connection.toImpl(browser);
}
