import { categorise } from "../app/marketing/try-it/categorise.ts";
import { readPastedLines } from "../app/marketing/try-it/csv-lines.ts";
import { LONG_LINES, LONG_TEXTS } from "../app/marketing/try-it/long-texts.fixture.ts";
import type { Figure } from "./figures.ts";

/** What somebody who pastes a million characters waits for, at most, in milliseconds. */
const MOST_MILLISECONDS = 2_000;

/** How long "Try it" takes for texts a careless pattern would choke on. @returns the longest */
export async function run(): Promise<Figure[]> {
  const works = [
    ...LONG_LINES.map(([name, keyword, line]) => ({
      name,
      work: () => categorise([line], [{ name: "Mine", keywords: [keyword] }]),
    })),
    ...LONG_TEXTS.map(([name, text]) => ({ name, work: () => readPastedLines(text) })),
  ];
  let longest = 0;
  for (const { name, work } of works) {
    const started = performance.now();
    work();
    const took = performance.now() - started;
    console.log(`${took.toFixed(0).padStart(6)} ms  ${name}`);
    longest = Math.max(longest, took);
  }
  return [
    {
      name: "the longest wait for a long text",
      value: longest,
      unit: "ms",
      limit: { most: MOST_MILLISECONDS },
    },
  ];
}
