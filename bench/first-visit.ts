import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "@playwright/test";
import packedChromium from "@sparticuz/chromium";
import { medianOf } from "../test/median.ts";
import { inTurn, startBare, startSite, withFolder } from "./contender.ts";
import type { Figure } from "./figures.ts";
import { nextAccountPage } from "./next-account-page.ts";
import { nextPage } from "./next-page.ts";
import { CONDITIONS, ROUND_TRIP_MILLISECONDS, type Seen, type Visit, visit } from "./visit.ts";

/**
 * Visits of one page differ by a frame, 16 ms, which moves a median of 15 by up to 0.03: as much as public pages have to spare.
 */
const ROUNDS = { public: 45, account: 15 };
const PUBLIC_PATHS = ["/", "/pricing"];
const SIGNED_OUT_PATHS = ["/login", "/register"];
const SIGNED_IN_PATHS = ["/dashboard", "/subscription", "/account"];
/** The largest allowed ratio to a bare page. */
const MOST_OF_BARE = { public: 1.35, account: 1.6 };
const MOST_PUBLIC_BYTES = 14_000;
const MOST_SCRIPT_KILOBYTES = 125;
const MOST_ACCOUNT_REQUESTS = 10;
const MOST_BLOCKED_MILLISECONDS = 100;
const NEXT_PAGE_ROUNDS = 7;
const MOST_NEXT_PAGE_MILLISECONDS = 100;

/** A heading and a sentence, uncompressed: no page can be faster. */
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
    const bare = await startBarePage(folder);
    const browser = await chromium.launch({
      executablePath: await packedChromium.executablePath(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync"],
    });
    try {
      const cookie = await signUp(site.url);
      const from = bare.url.replace("127.0.0.1", "localhost");
      const open = (paths: readonly string[], as?: Visit["cookie"]) =>
        paths.map((path) => ({
          name: path,
          url: new URL(path, site.url).href,
          from,
          isNetworkSlow: true,
          cookie: as,
        }));
      const barePage = { name: BARE, url: bare.url, from, isNetworkSlow: true };
      console.log(`cold, medians: ${CONDITIONS}`);
      const publicPages = await measure(browser, ROUNDS.public, [barePage, ...open(PUBLIC_PATHS)]);
      const accountPages = await measure(browser, ROUNDS.account, [
        barePage,
        ...open(SIGNED_OUT_PATHS),
        ...open(SIGNED_IN_PATHS, cookie),
        { name: BARE_FAST, url: bare.url, from, isNetworkSlow: false },
      ]);
      checkNetwork(accountPages);
      return [
        ...publicFigures(publicPages),
        ...accountFigures(accountPages),
        await measureNextPage(site.url, folder),
        await measureNextAccountPage(browser, open(["/account"], cookie)[0] as Visit),
      ];
    } finally {
      await browser.close();
      await bare.end();
      await site.end();
    }
  });
}

/** The next page, prerendered. It is not slowed down, because that takes a debugger. */
async function measureNextPage(siteUrl: string, folder: string): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < NEXT_PAGE_ROUNDS; round++) times.push(await nextPage(siteUrl, folder, round));
  return {
    name: "the next page, prerendered: press to largest paint",
    value: medianOf(times),
    unit: "ms",
    limit: { most: MOST_NEXT_PAGE_MILLISECONDS },
  };
}

/** The next account page, shown by the router and slowed down like the first visits. */
async function measureNextAccountPage(browser: Browser, from: Visit): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < NEXT_PAGE_ROUNDS; round++)
    times.push(await nextAccountPage(browser, from, "Change email address"));
  return {
    name: "the next page of the account, fetched ahead: press to paint",
    value: medianOf(times),
    unit: "ms",
    limit: { most: MOST_NEXT_PAGE_MILLISECONDS },
  };
}

/** Signs a new user up. @returns the session's cookie */
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

/** The measurements of each round, by the names of the visits. */
class Measured {
  readonly #seen: Map<string, Seen[]>;

  constructor(visits: ReadonlyMap<Visit, Seen[]>) {
    this.#seen = new Map([...visits].map(([{ name }, seen]) => [name, seen]));
  }

  median(name: string, what: keyof Seen): number {
    return medianOf(this.#of(name, what));
  }

  /** The ratio to the bare page of the same round. */
  ratio(name: string): number {
    const bare = this.#of(BARE, "paintMilliseconds");
    return medianOf(this.#of(name, "paintMilliseconds").map((value, round) => value / (bare[round] ?? NaN)));
  }

  print(): void {
    for (const [name, seen] of this.#seen)
      console.log(
        `${name.padEnd(28)} ${this.median(name, "paintMilliseconds").toFixed(0).padStart(5)} ms  ${this.ratio(name).toFixed(2)}×  ${this.median(name, "bytes")} bytes in ${this.median(name, "requests")} requests, ${seen.length} times`,
      );
  }

  #of(name: string, what: keyof Seen): number[] {
    return (this.#seen.get(name) ?? []).map((seen) => seen[what]);
  }
}

async function measure(browser: Browser, rounds: number, visits: Visit[]): Promise<Measured> {
  const measured = new Measured(await inTurn(rounds, visits, (each) => visit(browser, each)));
  measured.print();
  return measured;
}

/** @throws when the browser did not slow the network down */
function checkNetwork(measured: Measured): void {
  const roundTrip =
    measured.median(BARE, "paintMilliseconds") - measured.median(BARE_FAST, "paintMilliseconds");
  if (roundTrip < ROUND_TRIP_MILLISECONDS * 0.8)
    throw new Error(`the network was not slowed: the bare page took ${roundTrip.toFixed(0)} ms longer`);
}

function publicFigures(measured: Measured): Figure[] {
  return PUBLIC_PATHS.flatMap((path) => [
    paint(measured, path, MOST_OF_BARE.public),
    most(`${path}: bytes`, measured.median(path, "bytes"), "bytes", MOST_PUBLIC_BYTES),
    most(`${path}: blocking time`, measured.median(path, "blockedMilliseconds"), "ms", 0),
    most(`${path}: layout shift`, measured.median(path, "layoutShift"), "", 0),
  ]);
}

function accountFigures(measured: Measured): Figure[] {
  return [...SIGNED_OUT_PATHS, ...SIGNED_IN_PATHS].flatMap((path) => [
    paint(measured, path, MOST_OF_BARE.account),
    most(`${path}: scripts`, measured.median(path, "scriptBytes") / 1000, "KB", MOST_SCRIPT_KILOBYTES),
    most(
      `${path}: blocking time`,
      measured.median(path, "blockedMilliseconds"),
      "ms",
      MOST_BLOCKED_MILLISECONDS,
    ),
    most(`${path}: requests`, measured.median(path, "requests"), "", MOST_ACCOUNT_REQUESTS),
  ]);
}

function paint(measured: Measured, path: string, limit: number): Figure {
  return most(`${path}: largest paint, of a bare page’s`, measured.ratio(path), "×", limit);
}

function most(name: string, value: number, unit: string, limit: number): Figure {
  return { name, value, unit, limit: { most: limit } };
}

function startBarePage(folder: string) {
  const [page, headers] = [join(folder, "bare.html"), join(folder, "bare.json")];
  writeFileSync(page, BARE_PAGE);
  writeFileSync(
    headers,
    JSON.stringify({
      "Content-Type": "text/html; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(BARE_PAGE)),
    }),
  );
  return startBare(page, headers);
}
