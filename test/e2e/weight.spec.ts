import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { PUBLIC_PAGES } from "../../app/marketing/pages.ts";
import { expect, test } from "./fixtures.ts";

/** One round trip's worth: what a server may send before it must wait for the first acknowledgement (RFC 6928). */
const MOST_BYTES = 14_000;
const MOST_REQUESTS = 3;

for (const { path } of PUBLIC_PAGES) {
  test(`${path} weighs at most ${MOST_BYTES} bytes, cold, everything included, and has no script`, async ({
    page,
    context,
    server,
  }) => {
    const cdp = await context.newCDPSession(page);
    const requested = new Map<string, string>();
    const received = new Map<string, number>();
    cdp.on("Network.requestWillBeSent", ({ requestId, request, type }) =>
      requested.set(requestId, `${type} ${new URL(request.url).pathname}`),
    );
    // Headers are counted as well.
    cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) =>
      received.set(requested.get(requestId) ?? requestId, encodedDataLength),
    );
    await cdp.send("Network.enable");
    await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
    await page.goto(path, { waitUntil: "networkidle" });

    // A browser without a window fetches no icon; the one with a window takes this.
    const icon = (await page.locator('link[rel="icon"][type="image/svg+xml"]').getAttribute("href")) ?? "";
    received.set(`Icon ${icon}`, await bytesOverTheWire(`http://localhost:${server.port}${icon}`));

    const total = [...received.values()].reduce((sum, bytes) => sum + bytes, 0);
    console.log(`${path}: ${total} bytes`, Object.fromEntries(received));
    expect(received.size).toBe(requested.size + 1);
    expect(received.size).toBeLessThanOrEqual(MOST_REQUESTS);
    expect(total).toBeLessThanOrEqual(MOST_BYTES);
    expect([...received.keys()].filter((name) => name.startsWith("Script"))).toEqual([]);
  });
}

async function bytesOverTheWire(url: string): Promise<number> {
  const request = get(url, { agent: false, headers: { "accept-encoding": "br" } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  await response.toArray();
  return response.socket.bytesRead;
}
