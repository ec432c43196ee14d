import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import packedChromium from "@sparticuz/chromium";
import startCluster from "../test/cluster.ts";
import { medianOf } from "../test/median.ts";
import { openPayer } from "../test/plan-states.ts";
import { startServer } from "../test/server.ts";
import { createPerson, get } from "../test/users.ts";
import { type Contender, inTurn, requestsPerSecond, startContender, withFolder } from "./contender.ts";
import type { Figure } from "./figures.ts";
import type { Drawn } from "./rendering-server.ts";

/** The share of what bare `renderToString` serves of the same elements. */
const LEAST_OF_BARE = 0.4;
const ROUNDS = 9;
const ROUND_SECONDS = 2;
const WARM_SECONDS = 8;
const PEOPLE = { "a paid plan": openPayer, "no plan": createPersonOf };

/**
 * Compares /dashboard of signed-in users, with its session, queries, loaders and router, with React rendering the same elements on bare
 * node:http, both in brotli. In turn, and ratios are taken within a round.
 */
export async function run(): Promise<Figure[]> {
  const endCluster = await startCluster();
  const site = await startServer();
  try {
    return await withFolder(async (folder) => {
      const figures: Figure[] = [];
      for (const [who, create] of Object.entries(PEOPLE)) {
        const { cookie } = await create(site);
        const html = await (await get(site, "/dashboard", cookie)).text();
        const file = join(folder, "page.json");
        writeFileSync(file, JSON.stringify(await elementsOf(html)));
        const bare = await startContender((port) =>
          spawn(process.execPath, [join(import.meta.dirname, "rendering-server.ts"), String(port), file], {
            // React's development build renders at a fraction of the speed.
            env: { PATH: process.env.PATH, NODE_ENV: "production" },
            stdio: "inherit",
          }),
        );
        const ours = { url: `${site.origin}/dashboard`, headers: { Cookie: cookie }, end: bare.end };
        figures.push(await compare(who, ours, bare, html).finally(bare.end));
      }
      return figures;
    });
  } finally {
    await site.stop();
    await endCluster();
  }
}

function createPersonOf({ pool }: Parameters<typeof openPayer>[0]) {
  return createPerson(pool);
}

async function compare(who: string, ours: Contender, bare: Contender, html: string): Promise<Figure> {
  const rendered = await (await fetch(bare.url)).text();
  const isSimilar = Math.abs(rendered.length / html.length - 1) < 0.05;
  if (!isSimilar) throw new Error(`the page has ${html.length} letters, rendered bare ${rendered.length}`);
  for (const each of [ours, bare]) await requestsPerSecond(each, WARM_SECONDS);
  const measured = await inTurn(ROUNDS, [ours, bare], (each) => requestsPerSecond(each, ROUND_SECONDS));
  const [site = [], rival = []] = [measured.get(ours), measured.get(bare)];
  console.log(`with ${who}: ${Math.round(medianOf(site))} and ${Math.round(medianOf(rival))} requests/s`);
  return {
    name: `/dashboard with ${who}, of bare renderToString`,
    value: medianOf(site.map((each, round) => each / (rival[round] ?? Number.NaN))),
    unit: "×",
    limit: { least: LEAST_OF_BARE },
  };
}

/** A document as a browser without scripts reads it. */
async function elementsOf(html: string): Promise<Drawn> {
  const browser = await chromium.launch({
    executablePath: await packedChromium.executablePath(),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.setContent(html, { waitUntil: "commit" });
  const drawn = await page.evaluate(() => {
    const read = (element: Element): Drawn => [
      element.localName,
      Object.fromEntries(element.getAttributeNames().map((name) => [name, element.getAttribute(name) ?? ""])),
      [...element.childNodes].flatMap((child) => {
        if (child instanceof Element) return [read(child)];
        return child.nodeType === Node.TEXT_NODE ? [child.textContent ?? ""] : [];
      }),
    ];
    return read(document.documentElement);
  });
  await browser.close();
  return drawn;
}
