import type { Demand } from "../demand-table.ts";
import { DASHBOARD, NAMES } from "../operations.ts";
import type { Parameters } from "./parameters.ts";

/** What every operation takes, by its name, and how long a flush of the log takes in milliseconds. */
export interface Calibration {
  demands: ReadonlyMap<string, Demand>;
  flush: number;
}

/** A way to run the site. */
export interface Deployment {
  name: string;
  processes: number;
  /** Cores of the machines that the processes run on, all together. */
  siteCores: number;
  /** Cores of PostgreSQL's own machine; zero when it runs beside the site. */
  postgresCores: number;
  hasCdn: boolean;
  hasPooler: boolean;
  /** Databases among which users are divided. */
  partitions: number;
}

const ALONE = { hasCdn: false, hasPooler: false, partitions: 1 };
const HERE = { ...ALONE, postgresCores: 0 };

export const DEPLOYMENTS: Deployment[] = [
  { name: "one process beside PostgreSQL, two cores", processes: 1, siteCores: 2, ...HERE },
  { name: "two processes beside PostgreSQL, two cores", processes: 2, siteCores: 2, ...HERE },
  {
    name: "four processes, four cores; PostgreSQL on four",
    processes: 4,
    siteCores: 4,
    ...ALONE,
    postgresCores: 4,
  },
  {
    name: "the same, and a CDN",
    ...{ processes: 4, siteCores: 4, ...ALONE, postgresCores: 4, hasCdn: true },
  },
  {
    name: "16 processes, 16 cores; PostgreSQL on 16; CDN, PgBouncer",
    ...{ processes: 16, siteCores: 16, postgresCores: 16, hasCdn: true, hasPooler: true, partitions: 1 },
  },
  {
    name: "64 processes, 64 cores; four PostgreSQL of 16, users divided; CDN, PgBouncer",
    ...{ processes: 64, siteCores: 64, postgresCores: 16, hasCdn: true, hasPooler: true, partitions: 4 },
  },
];

/** How often each operation is asked for in a visit. */
export type Mix = ReadonlyMap<string, number>;

export function mixOf(given: Parameters): Mix {
  return new Map([
    [NAMES.PUBLIC_PAGE, given.pages],
    [DASHBOARD, given.dashboards],
    [NAMES.SIGN_IN, given.signIns],
    [NAMES.JOIN, given.joins],
    [NAMES.REDEMPTION, given.redemptions],
    [NAMES.WEBHOOK, given.webhooks],
  ]);
}

/** Something that can be used up, and how many of the mix a second use all of it. */
export interface Limit {
  resource: string;
  perSecond: number;
  /** Whether it only makes jobs wait in the outbox: nobody is turned away. */
  isLater: boolean;
}

/**
 * How often a second each resource lets a mix happen, the one that breaks first foremost: what a second gives, divided by what
 * one takes of it (the utilisation law). Where waiting begins to hurt, at about 70 %, is left to the reader.
 */
export function limitsOf(
  mix: Mix,
  { processes, siteCores, postgresCores, hasCdn, hasPooler, partitions }: Deployment,
  { demands, flush }: Calibration,
  given: Parameters,
): Limit[] {
  const isHere = (name: string) => (hasCdn && name === NAMES.PUBLIC_PAGE ? 1 - given.cached : 1);
  const take = (part: (demand: Demand) => number) =>
    [...mix].reduce((sum, [name, often]) => {
      const demand = demands.get(name);
      if (!demand) throw new Error(`${name} was not measured: npm run bench -- demands --write`);
      return sum + often * isHere(name) * part(demand);
    }, 0);
  const main = take((each) => each.main);
  const site = main + take((each) => each.others);
  const postgres = take((each) => each.postgres);
  // Whoever commits while a flush is under way shares the next with all others who do.
  const flushes = take((each) => each.transactions) * flush;
  const held = take((each) =>
    each.postgres > LEAST_ASKED ? each.main + each.postgres + given.heldMilliseconds : 0,
  );
  const webhooks = mix.get(NAMES.WEBHOOK) ?? 0;
  const endpoint = Math.min(given.stripeEndpoint, given.stripeRequests / given.requestsPerSync);
  type Resource = [name: string, has: number, takes: number, isLater?: boolean];
  const here: Resource[] = [["the machine's processors", siteCores * 1000, site + postgres]];
  const apart: Resource[] = [
    ["the site's processors", siteCores * 1000, site],
    ["PostgreSQL's processors", partitions * postgresCores * 1000, postgres],
  ];
  const limits: Resource[] = [
    ["the processes' main threads", processes * 1000, main],
    ...(postgresCores === 0 ? here : apart),
    ["flushes of the log", partitions * 1000 * given.commitsAFlush, flushes],
    ["bytes of the log", partitions * given.logMegabytes * 1e6, take((each) => each.wal)],
    [
      "PostgreSQL's connections",
      1000 *
        (hasPooler
          ? partitions * given.maxConnections
          : Math.min(processes * given.siteConnections, given.maxConnections)),
      held,
    ],
    ["the network", given.linkMegabytes * 1e6, take((each) => each.bytes)],
    ["Stripe's limit, each webhook a comparison", endpoint, webhooks, true],
    ["the mail provider's limit", given.mailsPerSecond, isVisit(mix) ? given.mails : 0, true],
  ];
  return limits
    .filter(([, , takes]) => takes > 0)
    .map(([resource, has, takes, isLater = false]) => ({ resource, perSecond: has / takes, isLater }))
    .sort((a, b) => a.perSecond - b.perSecond);
}

/** Milliseconds of PostgreSQL below which it was not asked, but did something else. */
const LEAST_ASKED = 0.05;

const isVisit = (mix: Mix) => mix.size > 1;

/** What a million of a mix costs, by what it is spent on. */
export function costOfMillion(mix: Mix, { demands }: Calibration, given: Parameters): Map<string, number> {
  const take = (part: (demand: Demand) => number) =>
    1e6 * [...mix].reduce((sum, [name, often]) => sum + often * part(demands.get(name) ?? NOTHING), 0);
  const coreHours = take(({ main, others, postgres }) => main + others + postgres) / 3_600_000;
  const [out, log] = [take(({ bytes }) => bytes) / 1e9, take(({ wal }) => wal) / 1e9];
  return new Map([
    ["core hours", coreHours],
    ["gigabytes sent", out],
    ["gigabytes of the log", log],
    ["price of the processors", (coreHours / HOURS_A_MONTH / given.used) * given.coreMonth],
    ["price of the network", out * given.gigabyteOut],
    ["price of the log", log * given.gigabyteMonth * given.logMonths],
    ["price of the mails", isVisit(mix) ? 1000 * given.mails * given.mailThousand : 0],
  ]);
}

const HOURS_A_MONTH = 730;
const NOTHING: Demand = { main: 0, others: 0, postgres: 0, wal: 0, transactions: 0, bytes: 0 };
