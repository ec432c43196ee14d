import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "@playwright/test";
import packedChromium from "@sparticuz/chromium";
import { medianOf } from "../test/median.ts";
import { startContender, startSite, withFolder } from "./contender.ts";

const ROUNDS = 15;
const PHONE = { width: 390, height: 844 };
/** A phone on a slow mobile network. */
const CPU_SLOWDOWN = 4;
const ROUND_TRIP_MILLISECONDS = 150;
const BITS_PER_SECOND = 1_600_000;
/** How many times as long as a page with nothing in it the home page may take. */
const LONGEST_OF_BARE = 1.4;

/** A heading and a sentence, uncompressed: what no page can be faster than. */
const BARE_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Bare</title><link rel="icon" href="data:,"><style>body{font:1rem serif}</style>
<h1>Your money, in your own words</h1>
<p>The first personal finance app that makes you name your own spending categories and income sources.</p></html>`;

interface Visit {
  name: string;
  url: string;
  isNetworkSlow: boolean;
}

/**
 * The largest contentful paint of a first visit, by a slow phone on a slow network: nothing cached, a connection of its
 * own. A bare page is opened in the same rounds, so that other load on the machine affects all alike; ratios are taken
 * within a round, and their median counts.
 *
 * @returns whether the home page takes at most `LONGEST_OF_BARE` times as long as the bare one
 */
export function run(): Promise<boolean> {
  return withFolder(async (folder) => {
    const site = await startSite(folder);
    const bare = await startBare(folder);
    const browser = await chromium.launch({
      executablePath: await packedChromium.executablePath(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync"],
    });
    try {
      const urlOf = (path: string) => new URL(path, site.url).href;
      return report(
        await measure(browser, [
          { name: "a bare page", url: bare.url, isNetworkSlow: true },
          { name: "/", url: urlOf("/"), isNetworkSlow: true },
          { name: "/pricing", url: urlOf("/pricing"), isNetworkSlow: true },
          { name: "a bare page, fast network", url: bare.url, isNetworkSlow: false },
        ]),
      );
    } finally {
      await browser.close();
      await bare.end();
      await site.end();
    }
  });
}

async function measure(browser: Browser, visits: Visit[]): Promise<Map<string, number[]>> {
  const measured = new Map<string, number[]>(visits.map(({ name }) => [name, []]));
  // The first round is not counted: it makes what is made once, in the site and in the browser.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const visit of round % 2 === 0 ? visits : visits.toReversed()) {
      const milliseconds = await largestPaint(browser, visit);
      if (round > 0) measured.get(visit.name)?.push(milliseconds);
    }
  }
  return measured;
}

/** @returns milliseconds from the start of the navigation */
async function largestPaint(browser: Browser, { url, isNetworkSlow }: Visit): Promise<number> {
  const context = await browser.newContext({ viewport: PHONE });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  if (isNetworkSlow)
    await cdp.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: ROUND_TRIP_MILLISECONDS,
      downloadThroughput: BITS_PER_SECOND / 8,
      uploadThroughput: BITS_PER_SECOND / 8,
    });
  const response = await page.goto(url, { waitUntil: "networkidle" });
  if (response?.status() !== 200) throw new Error(`${url} answered with ${response?.status()}`);
  const milliseconds = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? Number.NaN)).observe(
          { type: "largest-contentful-paint", buffered: true },
        );
      }),
  );
  await context.close();
  return milliseconds;
}

function report(measured: Map<string, number[]>): boolean {
  const of = (name: string) => measured.get(name) ?? [];
  const bare = of("a bare page");
  const ratioOf = (name: string) =>
    medianOf(of(name).map((value, round) => value / (bare[round] ?? Number.NaN)));
  console.log(`largest contentful paint, cold, median of ${ROUNDS}: ${CPU_SLOWDOWN}× slower processor, \
${BITS_PER_SECOND / 1e6} Mbit/s, ${ROUND_TRIP_MILLISECONDS} ms round trip, ${PHONE.width}×${PHONE.height}`);
  for (const [name, times] of measured) {
    const line = `${name.padEnd(28)} ${medianOf(times).toFixed(0).padStart(5)} ms`;
    console.log(`${line}  ${ratioOf(name).toFixed(2)}×`);
  }
  const roundTrip = medianOf(bare) - medianOf(of("a bare page, fast network"));
  if (roundTrip < ROUND_TRIP_MILLISECONDS * 0.8)
    throw new Error(`the network was not slowed: the bare page took ${roundTrip.toFixed(0)} ms longer`);
  const isReached = ratioOf("/") <= LONGEST_OF_BARE;
  console.log(`${isReached ? "reached" : "MISSED"}: / in at most ${LONGEST_OF_BARE} times the bare page`);
  return isReached;
}

function startBare(folder: string) {
  const [page, headers] = [join(folder, "bare.html"), join(folder, "bare.json")];
  writeFileSync(page, BARE_PAGE);
  writeFileSync(
    headers,
    JSON.stringify({
      "Content-Type": "text/html; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(BARE_PAGE)),
    }),
  );
  return startContender((port) =>
    spawn(process.execPath, [join(import.meta.dirname, "bare-server.ts"), String(port), page, headers], {
      stdio: "inherit",
    }),
  );
}
