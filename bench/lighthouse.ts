import chromium from "@sparticuz/chromium";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { PUBLIC_PAGES } from "../app/marketing/pages.ts";
import { startSite, withFolder } from "./contender.ts";
import type { Figure } from "./figures.ts";

const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];

/** Lighthouse's four scores for every public page, with the mobile profile. @returns the least of each page */
export function run(): Promise<Figure[]> {
  return withFolder(scoreAll);
}

async function scoreAll(folder: string): Promise<Figure[]> {
  const site = await startSite(folder);
  const chrome = await launch({
    chromePath: await chromium.executablePath(),
    chromeFlags: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync"],
  });
  try {
    console.log(
      `| page | ${CATEGORIES.join(" | ")} |\n| --- | ${CATEGORIES.map(() => "---:").join(" | ")} |`,
    );
    const figures: Figure[] = [];
    for (const { path } of PUBLIC_PAGES) {
      const scores = await scoresOf(new URL(path, site.url).href, chrome.port);
      console.log(`| \`${path}\` | ${scores.join(" | ")} |`);
      figures.push({
        name: `\`${path}\`, the least of four scores`,
        value: Math.min(...scores),
        unit: "",
        limit: { least: 100 },
      });
    }
    return figures;
  } finally {
    chrome.kill();
    await site.end();
  }
}

async function scoresOf(url: string, port: number): Promise<number[]> {
  const result = await lighthouse(url, {
    port,
    output: "json",
    onlyCategories: CATEGORIES,
    logLevel: "error",
  });
  if (!result || result.lhr.runtimeError) throw new Error(result?.lhr.runtimeError?.message ?? "no result");
  for (const { id, title, score, scoreDisplayMode } of Object.values(result.lhr.audits)) {
    const isScored = !["notApplicable", "informative", "manual"].includes(scoreDisplayMode);
    if (isScored && score !== null && score < 0.9) console.log(`  ${url}: ${id}: ${title} (${score})`);
  }
  return CATEGORIES.map((name) => Math.round((result.lhr.categories[name]?.score ?? 0) * 100));
}
