import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Page } from "@playwright/test";
import { PUBLIC_PAGES } from "../../app/marketing/pages.ts";
import { createOperator } from "../operator.ts";
import { createPerson } from "../users.ts";
import { expect, signIn, test } from "./fixtures.ts";

/** One round trip's worth: what a server may send before it must wait for the first acknowledgement (RFC 6928). */
const MOST_BYTES = 14_000;
const MOST_REQUESTS = 3;

/** The headline face, which is painted in another until it has come; most visitors have it from the page before. */
const MOST_FONT_BYTES = 14_000;
const isFont = (name: string) => name.startsWith("Font ");

/** Of the pages that are rendered for each request: the scripts they fetch, and everything they ask for. */
const MOST_ACCOUNT = { scriptBytes: 125_000, requests: 10 };

/** Of a page of the console with a chart. */
const MOST_CONSOLE_SCRIPT = 200_000;
const isChart = (name: string) => /live-chart/.test(name);

test.skip(({ browserName }) => browserName === "firefox", "bytes are counted by Chromium's own protocol");

for (const { path } of PUBLIC_PAGES) {
  test(`${path} weighs at most ${MOST_BYTES} bytes, cold, everything included, and has no script`, async ({
    page,
    server,
  }) => {
    const received = await weigh(page, path, server.port);
    const fonts = [...received].filter(([name]) => isFont(name));
    const others = [...received].filter(([name]) => !isFont(name));
    expect(fonts).toHaveLength(1);
    expect(fonts[0]?.[1]).toBeLessThanOrEqual(MOST_FONT_BYTES);
    expect(others.length).toBeLessThanOrEqual(MOST_REQUESTS);
    expect(others.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(MOST_BYTES);
    expect([...received.keys()].filter((name) => name.startsWith("Script"))).toEqual([]);
  });
}

for (const path of [
  "/login",
  "/register",
  "/dashboard",
  "/dashboard/categories",
  "/subscription",
  "/account",
]) {
  test(`${path} fetches at most ${MOST_ACCOUNT.scriptBytes} bytes of scripts, in ${MOST_ACCOUNT.requests} requests in all`, async ({
    page,
    context,
    server,
  }) => {
    if (!/login|register/.test(path)) await signIn(context, server, await createPerson(server.pool));
    const received = await weigh(page, path, server.port);
    await expect(page).toHaveURL(path);
    const others = [...received].filter(([name]) => !isFont(name));
    const scripts = others.filter(([name]) => name.startsWith("Script"));
    expect(scripts).not.toEqual([]);
    expect(scripts.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(MOST_ACCOUNT.scriptBytes);
    expect(others.length).toBeLessThanOrEqual(MOST_ACCOUNT.requests);
  });
}

test(`the console’s overview fetches at most ${MOST_CONSOLE_SCRIPT} bytes of scripts, and a page without a chart not the chart’s`, async ({
  page,
  context,
  server,
}) => {
  await signIn(context, server, await createOperator(server.pool));
  // Without a figure there is no chart.
  await server.pool.query(
    `INSERT INTO daily_figures (day, name, label, value) VALUES (current_date, 'signed_up', '', 1)
     ON CONFLICT (name, day, label) DO NOTHING`,
  );
  const scriptsOf = (received: Map<string, number>) =>
    [...received].filter(([name]) => name.startsWith("Script") || /\.js$/.test(name));
  const overview = scriptsOf(await weigh(page, "/admin", server.port));
  expect(overview.map(([name]) => name).filter(isChart)).toHaveLength(1);
  expect(overview.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(MOST_CONSOLE_SCRIPT);
  const people = scriptsOf(await weigh(page, "/admin/people", server.port));
  expect(people).not.toEqual([]);
  expect(people.map(([name]) => name).filter(isChart)).toEqual([]);
});

/** Opens a page with nothing cached. @returns the bytes of each thing it asked for, headers included */
async function weigh(page: Page, path: string, port: string): Promise<Map<string, number>> {
  const cdp = await page.context().newCDPSession(page);
  const requested = new Map<string, string>();
  const received = new Map<string, number>();
  cdp.on("Network.requestWillBeSent", ({ requestId, request, type }) =>
    requested.set(requestId, `${type} ${new URL(request.url).pathname}`),
  );
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) =>
    received.set(requested.get(requestId) ?? requestId, encodedDataLength),
  );
  await cdp.send("Network.enable");
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.goto(path, { waitUntil: "networkidle" });

  // A browser without a window fetches no icon; the one with a window takes this.
  const icon = (await page.locator('link[rel="icon"][type="image/svg+xml"]').getAttribute("href")) ?? "";
  received.set(`Icon ${icon}`, await bytesOverTheWire(`http://localhost:${port}${icon}`));
  console.log(path, Object.fromEntries(received));
  expect(received.size).toBe(requested.size + 1);
  return received;
}

async function bytesOverTheWire(url: string): Promise<number> {
  const request = get(url, { agent: false, headers: { "accept-encoding": "br" } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  await response.toArray();
  return response.socket.bytesRead;
}
