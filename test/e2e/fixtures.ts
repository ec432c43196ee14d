import { randomUUID } from "node:crypto";
import { type Browser, type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { freePort } from "../../app/db/embedded.server.ts";
import { PUBLIC_PAGES as PAGES_FROM_MEMORY } from "../../app/marketing/pages.ts";
import { addSecurityKey, completeFirefox, NO_PLAIN_PAGES, removeSecurityKey } from "../firefox.ts";
import { asClient } from "../http.ts";
import { startServer, type TestServer } from "../server.ts";
import { startTlsProxy } from "../tls-proxy.ts";
import { createPerson, PASSWORD, type Person } from "../users.ts";
import { keepLog, LOUD, watchSecrets } from "./log-proof.ts";
import { watchSessionTokens } from "./session-tokens.ts";

/** Every worker has its own server; every test creates its own users. */
export const test = base.extend<
  {
    withoutJavaScript: undefined;
    pageOnFailure: undefined;
    quietConsole: undefined;
    sessionTokens: undefined;
    secrets: undefined;
    /** Opens a page and waits for hydration, if it has scripts: until then its forms are plain ones. */
    open: (path: string) => Promise<void>;
    /** The same, signed in as a new user. Tests about signing up use the form: `register`. */
    openSignedIn: (path: string) => Promise<Person>;
    /** Plugs a new security key into the browser, which is always pressed (WebAuthn level 3, §11). @returns takes it out */
    plugInKey: () => Promise<() => Promise<unknown>>;
  },
  { server: TestServer }
>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
    async ({}, use) => {
      const server = await (process.env.BEHIND_TLS_PROXY ? startServerBehindTls() : startServer(LOUD));
      keepLog(server);
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  browser: [
    async ({ browser, browserName }, use) => {
      if (browserName === "firefox") await completeFirefox(browser);
      await use(browser);
    },
    { scope: "worker" },
  ],
  withoutJavaScript: [
    async ({ browserName, javaScriptEnabled }, use, testInfo) => {
      testInfo.skip(browserName === "firefox" && !javaScriptEnabled, NO_PLAIN_PAGES);
      await use(undefined);
    },
    { auto: true },
  ],
  pageOnFailure: [
    // A log is often all that is left of a failure on another machine.
    async ({ page }, use, testInfo) => {
      await use(undefined);
      if (testInfo.status === testInfo.expectedStatus) return;
      const text = await page.locator("body").ariaSnapshot({ timeout: 5_000 }).catch(String);
      console.log(`${testInfo.title}\n${page.url()}\n${text}`);
    },
    { auto: true },
  ],
  quietConsole: [
    async ({ page }, use, testInfo) => {
      const complaints: string[] = [];
      // Many tests expect answers of 4xx or 5xx. Playwright runs scripts to look into a mail's frame, which allows none.
      // A busy Chromium that shows a page before its cross-document view transition is ready skips the transition and logs
      // that. React Router cancels a fetcher whose component is gone and leaves the rest of its answer unread. Errors of
      // scripts, styles and policies are never expected. Firefox asks for the icon of pages that may load none, such as the
      // sandbox's, says of a font that its page was left, and of the unread rest that its stream has an error, or that the
      // operation was aborted.
      const isExpected =
        /Failed to load resource|Blocked script execution in 'about:srcdoc'|^InvalidStateError: Transition was aborted|^AbortError: (?:BodyStreamBuffer|The operation) was aborted|^TypeError: Error in input stream|\/favicon\.ico because it violates|downloadable font: download failed .* status=2152398850 /;
      const note = (text: string) => {
        if (!isExpected.test(text)) complaints.push(text);
      };
      page.on("pageerror", (error) => note(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error") note(message.text());
      });
      await use(undefined);
      // Each picture of a whole page adds a style of Playwright's in Firefox, which the policy refuses.
      if (testInfo.project.name !== "firefox-screenshots") expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
  sessionTokens: [
    async ({ context }, use) => {
      const watch = watchSessionTokens(context);
      await use(undefined);
      await watch.expectNoneInBodies();
    },
    { auto: true },
  ],
  secrets: [
    async ({ context }, use) => {
      const watch = watchSecrets(context);
      await use(undefined);
      await watch.save();
    },
    { auto: true },
  ],
  open: async ({ page, javaScriptEnabled }, use) => {
    await use(async (path) => {
      await page.goto(path);
      if (javaScriptEnabled) await page.waitForFunction(() => "hydrated" in document.documentElement.dataset);
    });
  },
  openSignedIn: async ({ context, server, open }, use) => {
    await use(async (path) => {
      const person = await createPerson(server.pool);
      await signIn(context, server, person);
      await open(path);
      return person;
    });
  },
  plugInKey: async ({ page, context, browser, browserName }, use) => {
    const removals: (() => Promise<unknown>)[] = [];
    await use(async () => {
      const remove =
        browserName === "firefox" ? await plugIntoFirefox(browser) : await plugIntoChromium(context, page);
      removals.push(remove);
      return remove;
    });
    // In Firefox a key is plugged into the browser, and so into the pages of the next test, too.
    if (browserName === "firefox") for (const remove of removals) await remove().catch(() => {});
  },
  // Limits count by client, so every test is a client of its own.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
  extraHTTPHeaders: async ({}, use) => use(asClient()),
  baseURL: async ({ server }, use) => use(server.origin),
});

export { expect, PASSWORD };

async function plugIntoFirefox(browser: Browser): Promise<() => Promise<unknown>> {
  const key = await addSecurityKey(browser);
  return () => removeSecurityKey(browser, key);
}

async function plugIntoChromium(context: BrowserContext, page: Page): Promise<() => Promise<unknown>> {
  const cdp = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "usb", automaticPresenceSimulation: true },
  });
  return () => cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
}

/** The same server behind a TLS proxy: browsers use https, and only the proxy connects to the server. */
async function startServerBehindTls(): Promise<TestServer> {
  const port = String(await freePort());
  const proxy = await startTlsProxy(port);
  const server = await startServer({ PORT: port, PUBLIC_ORIGIN: proxy.origin });
  return {
    ...server,
    async stop() {
      await server.stop();
      await proxy.stop();
    },
  };
}

/** Every public page, and one that does not exist. */
export const PUBLIC_PAGES = [
  ...PAGES_FROM_MEMORY.map(({ path }) => path),
  "/contact/sent",
  "/waitlist/sent",
  "/waitlist",
  "/waitlist?ref=abcdefgh23",
  "/nowhere",
];

/** Sets a person's session cookie, with the name and attributes the server would use. */
export async function signIn(context: BrowserContext, server: TestServer, { cookie }: Person): Promise<void> {
  const secure = server.origin.startsWith("https:");
  const [name = "", value = ""] = cookie.split("=", 2);
  await context.addCookies([
    {
      name: secure ? `__Host-${name}` : name,
      value,
      url: server.origin,
      httpOnly: true,
      sameSite: "Lax",
      secure,
    },
  ]);
}

/** The terms and values of a region's description list, in reading order. */
export async function factsOf(page: Page, region: string): Promise<Record<string, string>> {
  const terms = page.getByRole("region", { name: region });
  // The router changes the address a moment before the page.
  await terms.waitFor();
  const [names, values] = await Promise.all([
    terms.locator("dt").allInnerTexts(),
    terms.locator("dd").allInnerTexts(),
  ]);
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}

/** The day this many months from now, as pages format it; clamped to the end of the month. */
export function dayIn(months: number): string {
  const today = new Date();
  const day = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months + 1, 0));
  day.setUTCDate(Math.min(today.getUTCDate(), day.getUTCDate()));
  return day.toLocaleDateString("en-US", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

/** Matches a text in which each day is formatted as an end, with its time and zone. */
export function endingText(text: string): RegExp {
  const plain = text.replaceAll(/[.+]/g, "\\$&");
  return new RegExp(plain.replaceAll(/, 20\d\d/g, "$&, \\d+:\\d\\d [AP]M UTC"));
}

/** From /subscription to Stripe's page for a payment of $49.99. */
export async function choosePremium(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Choose CSV + Banking, yearly" }).click();
  await expect(page.getByRole("button", { name: "Pay $49.99" })).toBeVisible();
}

/** Signs up a new person by the form. @returns their address */
export async function register(page: Page, name = "Ada Lovelace"): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
  return email;
}
