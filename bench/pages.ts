import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { medianOf } from "../test/median.ts";
import { type Contender, inTurn, requestsPerSecond, startBare, startSite, withFolder } from "./contender.ts";
import type { Figure } from "./figures.ts";

/** The share of the throughput of a bare server with the same response that the site must reach. */
const LEAST_OF_BARE = 0.8;
/** A page of another length. */
const OTHER_PAGE = "pricing";
const ROUNDS = 15;
const ROUND_SECONDS = 1;

/**
 * Compares serving the HTML of `/` and `/pricing` in brotli with a bare node:http server writing the same bytes. One process each, in
 * alternating order, so that other load on the machine affects all alike; ratios are taken within a round, and their median counts.
 */
export function run(): Promise<Figure[]> {
  return withFolder(async (folder) => {
    const contenders: Contender[] = [];
    try {
      const site = await startSite(folder);
      contenders.push(site);
      const other = { ...site, url: site.url + OTHER_PAGE, end: async () => {} };
      const answer = await keep(site.url, folder, "page");
      const otherAnswer = await keep(other.url, folder, "other");
      contenders.push(await startBare(join(folder, "page.br"), join(folder, "page.json")));
      contenders.push(other);
      contenders.push(await startBare(join(folder, "other.br"), join(folder, "other.json")));
      for (const [at, { url }] of contenders.entries()) await mustSend(url, at < 2 ? answer : otherAnswer);
      console.log(
        `in brotli, / has ${answer.byteLength} bytes. ${ROUNDS} rounds of ${ROUND_SECONDS} s each, in turn.`,
      );
      const measured = await inTurn(ROUNDS, contenders, (each) => requestsPerSecond(each, ROUND_SECONDS));
      return report(measured, contenders);
    } finally {
      for (const { end } of contenders) await end();
    }
  });
}

/** Writes what the site sends into the folder, for the others to send. @returns the body */
async function keep(url: string, folder: string, name: string): Promise<Buffer> {
  const { body, headers } = await fetchCompressed(url);
  writeFileSync(join(folder, `${name}.br`), body);
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(headers));
  return body;
}

async function mustSend(url: string, expected: Buffer): Promise<void> {
  if (!expected.equals((await fetchCompressed(url)).body)) throw new Error(`${url} sends other bytes`);
}

function report(measured: Map<Contender, number[]>, [site, bare, other, otherBare]: Contender[]): Figure[] {
  const of = (contender: Contender | undefined) => (contender && measured.get(contender)) ?? [];
  const figure = (name: string, ours: Contender | undefined, theirs: Contender | undefined) => {
    console.log(
      `${name}: ${Math.round(medianOf(of(ours)))} and ${Math.round(medianOf(of(theirs)))} requests/s`,
    );
    const value = medianOf(of(ours).map((each, round) => each / (of(theirs)[round] ?? Number.NaN)));
    return { name, value, unit: "×", limit: { least: LEAST_OF_BARE } };
  };
  return [figure("/ of bare node:http", site, bare), figure("/pricing of bare node:http", other, otherBare)];
}

/** @returns the body as sent and the headers of the site, names and values alternating */
async function fetchCompressed(url: string): Promise<{ body: Buffer; headers: string[] }> {
  // fetch would decode the body.
  const { default: http } = await import("node:http");
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers: { "Accept-Encoding": "br" } }, async (response) => {
        if (response.headers["content-encoding"] !== "br") reject(new Error(`${url} does not send brotli`));
        const headers = response.rawHeaders.flatMap((name, index, all) =>
          index % 2 === 0 && !/^(date|connection|keep-alive)$/i.test(name)
            ? [name, all[index + 1] ?? ""]
            : [],
        );
        resolve({ body: Buffer.concat(await response.toArray()), headers });
      })
      .on("error", reject);
  });
}
