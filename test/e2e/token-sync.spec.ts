import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { eventually } from "../http.ts";
import { startServer } from "../server.ts";
import { readToken } from "../tokens.ts";
import { test as base, expect, PUBLIC_PAGES, register } from "./fixtures.ts";

interface Receiver {
  url: string;
  origin: string;
  /** What it was told, by whom: preflights are not noted. */
  heard: { method: string; bearer: string }[];
  answers: "well" | "badly" | "never";
  close(): void;
}

/** The receiver of token sync on another origin, with the CORS answers a browser asks for. */
async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    response.setHeader("Access-Control-Allow-Origin", request.headers.origin ?? "");
    response.setHeader("Access-Control-Allow-Methods", "POST, DELETE");
    response.setHeader("Access-Control-Allow-Headers", "authorization");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    const [, bearer = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    receiver.heard.push({ method: request.method ?? "", bearer });
    if (receiver.answers !== "never") response.writeHead(receiver.answers === "well" ? 204 : 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receiver: Receiver = {
    url: `${origin}/session?from=site`,
    origin,
    heard: [],
    answers: "well",
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}

const test = base.extend<{ fresh: undefined }, { receiver: Receiver }>({
  receiver: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
    async ({}, use) => {
      const receiver = await openReceiver();
      await use(receiver);
      receiver.close();
    },
    { scope: "worker" },
  ],
  // A header of its own on what a page sends elsewhere would be asked about first, and refused.
  extraHTTPHeaders: {},
  server: [
    async ({ receiver }, use) => {
      const server = await startServer({ AUTH_TOKEN_SYNC_URL: receiver.url });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  fresh: [
    async ({ receiver }, use) => {
      Object.assign(receiver, { heard: [], answers: "well" });
      await use(undefined);
    },
    { auto: true },
  ],
});

// One receiver, server and browser for all of its tests.
test.describe.configure({ mode: "default" });

function signOut(page: Page): Promise<void> {
  return page.getByRole("banner").getByRole("button", { name: "Sign Out" }).click();
}

/** Counts how often a page has asked for a token; what it began to ask before is counted. */
function countTokens(page: Page): () => Promise<number> {
  let count = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/api/token")) count++;
  });
  return async () => {
    await page.evaluate(async () => (await fetch("/healthz")).text());
    return count;
  };
}

async function expectHeard(receiver: Receiver, ...methods: string[]): Promise<void> {
  await eventually(async () => receiver.heard.length >= methods.length, methods.join(", "));
  expect(receiver.heard.map(({ method }) => method)).toEqual(methods);
}

test("another origin is told of signing in, once, and of signing out", async ({ page, server, receiver }) => {
  await page.goto("/register?return_to=/dashboard");
  const email = await register(page);
  await expect(page).toHaveURL("/dashboard");
  await expectHeard(receiver, "POST");
  const claims = await readToken(server, receiver.heard[0]?.bearer ?? "");
  expect(claims).toMatchObject({ email, tier: null, features: [] });

  await page.reload();
  await page.goto("/subscription");
  await page.goto("/dashboard");
  await page.waitForLoadState("networkidle");
  await expectHeard(receiver, "POST");
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
  expect(kept).toContain(String(claims.sid));
  expect(kept).not.toContain(receiver.heard[0]?.bearer);

  await signOut(page);
  await expect(page).toHaveURL("/");
  await expectHeard(receiver, "POST", "DELETE");
  const goodbye = await readToken(server, receiver.heard[1]?.bearer ?? "");
  expect(goodbye).toMatchObject({ sub: claims.sub, sid: claims.sid });
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("token-sync");
  await page.goto("/dashboard");
  await expect(page).toHaveURL("/login?return_to=%2Fdashboard");
});

test("signing out in the header says goodbye, too, and pressing twice says it once", async ({
  page,
  receiver,
  openSignedIn,
}) => {
  await openSignedIn("/dashboard");
  await expectHeard(receiver, "POST");
  await page.getByRole("banner").getByRole("button", { name: "Sign Out" }).dblclick();
  await expect(page).toHaveURL("/");
  await expectHeard(receiver, "POST", "DELETE");
});

test("the next person in the same tab is told of at once", async ({
  context,
  server,
  receiver,
  openSignedIn,
}) => {
  await openSignedIn("/dashboard");
  await expectHeard(receiver, "POST");
  // A session that ended without a goodbye.
  await context.clearCookies();
  const { email } = await openSignedIn("/dashboard");
  await expectHeard(receiver, "POST", "POST");
  expect(await readToken(server, receiver.heard[1]?.bearer ?? "")).toMatchObject({ email });
});

test("before the token ends there is a new one, as soon as the page is visible", async ({
  page,
  receiver,
  openSignedIn,
}) => {
  await page.clock.install();
  const tokensAsked = countTokens(page);
  await openSignedIn("/dashboard");
  await expectHeard(receiver, "POST");
  await page.clock.fastForward("08:30");
  expect(await tokensAsked()).toBe(1);
  await page.clock.fastForward("00:31");
  await expectHeard(receiver, "POST", "POST");
  expect(receiver.heard[1]?.bearer).not.toBe(receiver.heard[0]?.bearer);

  const look = (hidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await look(true);
  await page.clock.fastForward("30:00");
  expect(await tokensAsked()).toBe(2);
  await look(false);
  await expectHeard(receiver, "POST", "POST", "POST");
});

test("an origin that answers badly is tried again a minute later, and the page does not mind", async ({
  page,
  receiver,
  openSignedIn,
}) => {
  await page.clock.install();
  receiver.answers = "badly";
  await openSignedIn("/dashboard");
  await expectHeard(receiver, "POST");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome, Ada Lovelace");
  await page.waitForLoadState("networkidle");
  receiver.answers = "well";
  await page.clock.fastForward("01:01");
  await expectHeard(receiver, "POST", "POST");
});

test("an origin that never answers does not keep a session open", async ({
  page,
  receiver,
  openSignedIn,
}) => {
  receiver.answers = "never";
  await openSignedIn("/dashboard");
  await expectHeard(receiver, "POST");
  await signOut(page);
  await expect(page).toHaveURL("/");
  await expectHeard(receiver, "POST", "DELETE");
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("signing in and out is what it always is", async ({ page, receiver, openSignedIn }) => {
    await openSignedIn("/dashboard");
    await signOut(page);
    await expect(page).toHaveURL("/");
    await expectHeard(receiver);
  });
});

test("only the pages of signed-in people know of it", async ({ page, context, receiver, openSignedIn }) => {
  for (const path of [...PUBLIC_PAGES, "/login", "/register"]) {
    const response = await page.request.get(path);
    expect(await response.text()).not.toContain("/session?from=site");
    expect(response.headers()["content-security-policy"]).not.toContain(receiver.origin);
  }
  await openSignedIn("/dashboard");
  const response = await page.goto("/dashboard");
  expect(response?.headers()["content-security-policy"]).toContain(`connect-src 'self' ${receiver.origin};`);
  // And those who were signed in do not tell the public pages.
  expect((await context.cookies()).length).toBeGreaterThan(0);
  const home = await page.request.get("/");
  expect(await home.text()).not.toContain("/session?from=site");
});
