import type { Browser, CDPSession, Page } from "@playwright/test";

const PHONE = { width: 390, height: 844 };
/** A phone on a slow mobile network. */
const CPU_SLOWDOWN = 4;
export const ROUND_TRIP_MILLISECONDS = 150;
const BITS_PER_SECOND = 1_600_000;

export const CONDITIONS = `${CPU_SLOWDOWN}× slower processor, ${BITS_PER_SECOND / 1e6} Mbit/s, \
${ROUND_TRIP_MILLISECONDS} ms round trip, ${PHONE.width}×${PHONE.height}`;

export interface Visit {
  name: string;
  url: string;
  isNetworkSlow: boolean;
  /** A page of another site that links there: a browser that already has a process for the site is not on its first visit. */
  from: string;
  /** The cookie of a signed-in user. */
  cookie?: { name: string; value: string };
}

/** The times and the weight of a visit. */
export interface Seen {
  /** The largest contentful paint, in milliseconds from the start of the navigation. */
  paintMilliseconds: number;
  /** The total blocking time: the part of each task beyond 50 ms. */
  blockedMilliseconds: number;
  layoutShift: number;
  requests: number;
  /** As transferred, headers included. Without the icon, which a headless browser does not fetch. */
  bytes: number;
  scriptBytes: number;
}

/** Opens a page as on the first visit: nothing cached, a connection of its own. */
export async function visit(browser: Browser, asked: Visit): Promise<Seen> {
  const { url, from, isNetworkSlow, cookie } = asked;
  const context = await browser.newContext({ viewport: PHONE });
  if (cookie) await context.addCookies([{ ...cookie, url }]);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await page.goto(from);
  const fetched = watchNetwork(cdp);
  await slowDown(cdp, isNetworkSlow);
  const response = await page.goto(url, { waitUntil: "networkidle" });
  if (response?.status() !== 200 || response.url() !== url)
    throw new Error(`${url} answered with ${response?.status()} at ${response?.url()}`);
  const seen = await readTimings(page);
  await context.close();
  return { ...seen, ...fetched() };
}

export async function slowDown(cdp: CDPSession, isNetworkSlow: boolean): Promise<void> {
  await cdp.send("Network.enable");
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  if (isNetworkSlow)
    await cdp.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: ROUND_TRIP_MILLISECONDS,
      downloadThroughput: BITS_PER_SECOND / 8,
      uploadThroughput: BITS_PER_SECOND / 8,
    });
}

/** @returns a function that returns the requests so far */
function watchNetwork(cdp: CDPSession): () => Pick<Seen, "requests" | "bytes" | "scriptBytes"> {
  const types = new Map<string, string>();
  const sizes = new Map<string, number>();
  cdp.on("Network.requestWillBeSent", ({ requestId, type }) => types.set(requestId, type ?? ""));
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) =>
    sizes.set(requestId, encodedDataLength),
  );
  const sum = (wanted: (type: string) => boolean) =>
    [...sizes].reduce((total, [id, size]) => total + (wanted(types.get(id) ?? "") ? size : 0), 0);
  return () => ({
    requests: types.size,
    // Without the headline font, which replaces a fallback when it arrives.
    bytes: sum((type) => type !== "Font"),
    scriptBytes: sum((type) => type === "Script"),
  });
}

function readTimings(page: Page) {
  return page.evaluate(async () => {
    const entriesOf = (type: string) =>
      new Promise<PerformanceEntryList>((resolve) => {
        const entries: PerformanceEntry[] = [];
        new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({
          type,
          buffered: true,
        });
        // Buffered entries arrive in a later task.
        setTimeout(() => setTimeout(() => resolve(entries)));
      });
    const paints = await entriesOf("largest-contentful-paint");
    const tasks = await entriesOf("longtask");
    const shifts = (await entriesOf("layout-shift")) as (PerformanceEntry & { value: number })[];
    return {
      paintMilliseconds: paints.at(-1)?.startTime ?? Number.NaN,
      blockedMilliseconds: tasks.reduce((sum, { duration }) => sum + Math.max(duration - 50, 0), 0),
      layoutShift: shifts.reduce((sum, { value }) => sum + value, 0),
    };
  });
}
