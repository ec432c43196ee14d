import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../app/db/embedded.server.ts";
import startCluster from "../test/cluster.ts";
import { medianOf } from "../test/median.ts";
import { openPayer } from "../test/plan-states.ts";
import { startRecordedServer } from "../test/recorded-server.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { createPerson, get, type Person } from "../test/users.ts";
import { requestsPerSecond, withFolder } from "./contender.ts";
import { processorSecondsOf } from "./cost-process.ts";
import type { Figure } from "./figures.ts";

const ROUNDS = 5;
const ROUND_SECONDS = 4;
const WARM_REQUESTS = 3_000;
const MOST_WARM_UP_ROUNDS = 10;
/** Least share of what bare `renderToString` serves of the same page. */
const LEAST_OF_BARE = 0.4;
/** Who ask in turn: of each, the database has other rows to look up. Payments take a second each. */
const PEOPLE = { "a paid plan": { make: openPayer, count: 5 }, "no plan": { make: openPerson, count: 50 } };
/** The session’s, and those of the page side by side. */
const MOST_QUERIES = 5;
const PATHS = ["/dashboard", "/subscription", "/account"];

/** One page of one person, from the site or bare. */
interface Side {
  url: string;
  /** A file with those of the people who ask. */
  cookies: string;
  server: TestServer;
  perSecond: number[];
  /** The process's own time for each page, in milliseconds. */
  milliseconds: number[];
}

/**
 * /dashboard of people who are signed in, who pay and who do not, beside the same elements with the same data rendered by React on bare
 * node:http, both in brotli, as every browser asks for it; and what the pages of an account ask of the database.
 */
export async function run(): Promise<Figure[]> {
  const endCluster = await startCluster();
  try {
    return [...(await withFolder(compareWithBare)), ...(await countQueries())];
  } finally {
    await endCluster();
  }
}

async function compareWithBare(folder: string): Promise<Figure[]> {
  const barePort = await freePort();
  const loaded = (file: string) => ({ NODE_OPTIONS: `--import=${join(import.meta.dirname, file)}` });
  const site = await startServer();
  const bare = await startServer({ ...loaded("bare-page.ts"), BARE_PORT: String(barePort) });
  const figures: Figure[] = [];
  try {
    for (const [who, { make, count }] of Object.entries(PEOPLE)) {
      const people: Person[] = [];
      for (let at = 0; at < count; at++) people.push(await make(site));
      const cookies = join(folder, "cookies");
      writeFileSync(cookies, people.map(({ cookie }) => `${cookie}\n`).join(""));
      const side = { cookies, perSecond: [], milliseconds: [] };
      const siteSide: Side = { ...structuredClone(side), url: `${site.origin}/dashboard`, server: site };
      const bareSide: Side = { ...side, url: `http://127.0.0.1:${barePort}/`, server: bare };
      await keepPage(bareSide, await make(bare));
      await compare(siteSide, bareSide);
      figures.push(...report(who, siteSide, bareSide));
    }
    return figures;
  } finally {
    await Promise.all([site.stop(), bare.stop()]);
  }
}

function openPerson({ pool }: TestServer): Promise<Person> {
  return createPerson(pool);
}

/** Has their page rendered, and bare from now on. @throws when it is not the same */
async function keepPage({ server, url }: Side, { cookie }: Person): Promise<void> {
  const page = await (await get(server, "/dashboard", cookie)).text();
  const bare = await (await fetch(url)).text();
  if (bare !== page) throw new Error(`bare, the page of ${page.length} letters has ${bare.length}`);
}

/** In turn, and each first as often as the other: the machine has other things to do as well. */
async function compare(site: Side, bare: Side): Promise<void> {
  for (const side of [site, bare]) await warmUp(side);
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of round % 2 === 0 ? [site, bare] : [bare, site]) {
      const before = processorTime(side);
      const perSecond = await requestsPerSecond(side, ROUND_SECONDS);
      side.perSecond.push(perSecond);
      side.milliseconds.push((processorTime(side) - before) / (perSecond * ROUND_SECONDS));
    }
  }
}

/** Until its code is compiled, which takes long when others work as well. */
async function warmUp(side: Side): Promise<void> {
  let requests = 0;
  for (let round = 0; round < MOST_WARM_UP_ROUNDS && requests < WARM_REQUESTS; round++)
    requests += (await requestsPerSecond(side, ROUND_SECONDS)) * ROUND_SECONDS;
}

/** All of the process's time so far, of all its threads, in milliseconds. */
function processorTime({ server }: Side): number {
  return processorSecondsOf(server.child.pid ?? 0) * 1000;
}

function report(who: string, site: Side, bare: Side): Figure[] {
  const shareOf = (values: number[], others: number[]) =>
    medianOf(values.map((value, round) => value / (others[round] ?? Number.NaN)));
  for (const [name, side] of Object.entries({ "the site": site, bare })) {
    console.log(
      `/dashboard with ${who}, ${name.padEnd(8)} ${medianOf(side.perSecond).toFixed(0).padStart(6)} requests/s, ${medianOf(side.milliseconds).toFixed(2)} ms of processor time each`,
    );
  }
  const limit = { least: LEAST_OF_BARE };
  const name = `/dashboard with ${who}: of bare renderToString`;
  return [
    { name: `${name}, requests a second`, value: shareOf(site.perSecond, bare.perSecond), unit: "×", limit },
    {
      name: `${name}, pages per processor time`,
      value: shareOf(bare.milliseconds, site.milliseconds),
      ...{ unit: "×", limit },
    },
  ];
}

/** How often the pages of an account ask the database, the session's question included. */
async function countQueries(): Promise<Figure[]> {
  const server = await startRecordedServer();
  try {
    const people = { "a paid plan": await openPayer(server), "no plan": await createPerson(server.pool) };
    const figures: Figure[] = [];
    for (const [who, { cookie }] of Object.entries(people)) {
      for (const path of PATHS) {
        const { length: value } = await server.queriesOf(path, cookie);
        figures.push({
          ...{ name: `${path} with ${who}: queries`, value, unit: "" },
          limit: { most: MOST_QUERIES },
        });
      }
    }
    return figures;
  } finally {
    await server.stop();
  }
}
