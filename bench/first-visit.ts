import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "@playwright/test";
import packedChromium from "@sparticuz/chromium";
import { medianOf } from "../test/median.ts";
import { startContender, startSite, withFolder } from "./contender.ts";
import type { Figure } from "./figures.ts";
import { CONDITIONS, ROUND_TRIP_MILLISECONDS, type Seen, type Visit, visit } from "./visit.ts";

const ROUNDS = 15;
const PUBLIC_PATHS = ["/", "/pricing"];
const SIGNED_OUT_PATHS = ["/login", "/register"];
const SIGNED_IN_PATHS = ["/dashboard", "/subscription", "/account"];
/** How many times as long as a page with nothing in it they may take. */
const MOST_OF_BARE = { public: 1.25, account: 2 };
const MOST_PUBLIC_BYTES = 14_000;
const MOST_SCRIPT_KILOBYTES = 95;
const MOST_ACCOUNT_REQUESTS = 8;

/** A heading and a sentence, uncompressed: what no page can be faster than. */
const BARE_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Bare</title><link rel="icon" href="data:,"><style>body{font:1rem serif}</style>
<h1>Your money, in your own words</h1>
<p>The first personal finance app that makes you name your own spending categories and income sources.</p></html>`;

const BARE = "a bare page";
const BARE_FAST = "a bare page, fast network";

/**
 * The largest contentful paint of a first visit, by a slow phone on a slow network: nothing cached, a connection of its
 * own. A bare page is opened in the same rounds, so that other load on the machine affects all alike; ratios are taken
 * within a round, and their median counts.
 */
export function run(): Promise<Figure[]> {
  return withFolder(async (folder) => {
    const site = await startSite(folder);
    const bare = await startBare(folder);
    const browser = await chromium.launch({
      executablePath: await packedChromium.executablePath(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync"],
    });
    try {
      const cookie = await signUp(site.url);
      const open = (paths: readonly string[], as?: Visit["cookie"]) =>
        paths.map((path) => ({
          name: path,
          url: new URL(path, site.url).href,
          isNetworkSlow: true,
          cookie: as,
        }));
      return report(
        await measure(browser, [
          { name: BARE, url: bare.url, isNetworkSlow: true },
          ...open([...PUBLIC_PATHS, ...SIGNED_OUT_PATHS]),
          ...open(SIGNED_IN_PATHS, cookie),
          { name: BARE_FAST, url: bare.url, isNetworkSlow: false },
        ]),
      );
    } finally {
      await browser.close();
      await bare.end();
      await site.end();
    }
  });
}

/** Signs somebody new up. @returns their session's cookie */
async function signUp(siteUrl: string): Promise<{ name: string; value: string }> {
  const response = await fetch(new URL("/register", siteUrl), {
    method: "POST",
    redirect: "manual",
    headers: { origin: new URL(siteUrl).origin },
    body: new URLSearchParams({
      name: "Ada Lovelace",
      email: `${randomUUID()}@example.com`,
      password: "correct horse battery",
    }),
  });
  const [name, value] = response.headers.getSetCookie()[0]?.split(";")[0]?.split("=", 2) ?? [];
  if (!name || !value) throw new Error(`signing up was answered with ${response.status}`);
  return { name, value };
}

async function measure(browser: Browser, visits: Visit[]): Promise<Map<string, Seen[]>> {
  const measured = new Map<string, Seen[]>(visits.map(({ name }) => [name, []]));
  // The first round is not counted: it makes what is made once, in the site and in the browser.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const each of round % 2 === 0 ? visits : visits.toReversed()) {
      const seen = await visit(browser, each);
      if (round > 0) measured.get(each.name)?.push(seen);
    }
  }
  return measured;
}

function report(measured: Map<string, Seen[]>): Figure[] {
  const of = (name: string, what: keyof Seen) => (measured.get(name) ?? []).map((seen) => seen[what]);
  const median = (name: string, what: keyof Seen) => medianOf(of(name, what));
  const bare = of(BARE, "paintMilliseconds");
  const ratio = (name: string) =>
    medianOf(of(name, "paintMilliseconds").map((value, round) => value / (bare[round] ?? Number.NaN)));
  console.log(`cold, median of ${ROUNDS}: ${CONDITIONS}`);
  for (const name of measured.keys())
    console.log(
      `${name.padEnd(28)} ${median(name, "paintMilliseconds").toFixed(0).padStart(5)} ms  ${ratio(name).toFixed(2)}×  ${median(name, "bytes")} bytes in ${median(name, "requests")} requests`,
    );
  const roundTrip = medianOf(bare) - median(BARE_FAST, "paintMilliseconds");
  if (roundTrip < ROUND_TRIP_MILLISECONDS * 0.8)
    throw new Error(`the network was not slowed: the bare page took ${roundTrip.toFixed(0)} ms longer`);

  const most = (name: string, value: number, unit: string, limit: number): Figure => ({
    name,
    value,
    unit,
    limit: { most: limit },
  });
  const paint = (path: string, limit: number) =>
    most(`${path}: largest paint, of a bare page’s`, ratio(path), "×", limit);
  return [
    ...PUBLIC_PATHS.flatMap((path) => [
      paint(path, MOST_OF_BARE.public),
      most(`${path}: bytes`, median(path, "bytes"), "bytes", MOST_PUBLIC_BYTES),
      most(`${path}: blocking time`, median(path, "blockedMilliseconds"), "ms", 0),
      most(`${path}: layout shift`, median(path, "layoutShift"), "", 0),
    ]),
    ...[...SIGNED_OUT_PATHS, ...SIGNED_IN_PATHS].flatMap((path) => [
      paint(path, MOST_OF_BARE.account),
      most(`${path}: scripts`, median(path, "scriptBytes") / 1000, "KB", MOST_SCRIPT_KILOBYTES),
      most(`${path}: requests`, median(path, "requests"), "", MOST_ACCOUNT_REQUESTS),
    ]),
  ];
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
