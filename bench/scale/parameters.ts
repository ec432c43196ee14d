/**
 * What no measurement here can say: what people do, what others allow, and what things cost. Assumptions, each changed by a flag
 * of its name: `npm run bench -- scale --pages=5 --coreMonth=20`.
 */
export const PARAMETERS = {
  pages: [3, "public pages that a visit opens"],
  dashboards: [0.2, "account pages that a visit opens"],
  signIns: [0.05, "sign-ins of a visit"],
  joins: [0.03, "visits that join the waitlist, as a share"],
  redemptions: [0.01, "promo codes redeemed in a visit"],
  webhooks: [0.02, "webhooks that Stripe sends for a visit"],
  mails: [0.1, "mails written for a visit"],
  cached: [0.9, "share of public pages that a CDN answers, where there is one"],
  siteConnections: [24, "connections of a process: DATABASE_POOL_SIZE and up to four"],
  maxConnections: [
    97,
    "connections that PostgreSQL takes: its default of 100, but for three it keeps for superusers",
  ],
  heldMilliseconds: [
    5,
    "how long a request holds a connection beside the processor's time, such as the network's",
  ],
  commitsAFlush: [
    4,
    "transactions that share a flush of the log when many commit (PostgreSQL's group commit)",
  ],
  linkMegabytes: [125, "megabytes a second of the network: 1 Gbit/s"],
  logMegabytes: [100, "megabytes a second that the disk writes of the log"],
  stripeRequests: [
    100,
    "requests a second that Stripe takes of a live account (docs.stripe.com/rate-limits)",
  ],
  stripeEndpoint: [25, "requests a second that Stripe takes for one endpoint, unless it says otherwise"],
  requestsPerSync: [
    5,
    "requests by which a customer with a plan is compared, each of another endpoint (billing/sync/customer-state.server.ts)",
  ],
  mailsPerSecond: [50, "mails a second that the mail provider takes"],
  used: [0.35, "share of the processors paid for that is used on average, day and night"],
  coreMonth: [15, "price of a core with 4 GB for a month"],
  gigabyteOut: [0.02, "price of a gigabyte sent"],
  gigabyteMonth: [0.1, "price of a gigabyte kept for a month"],
  logMonths: [1, "months for which the write-ahead log is kept"],
  mailThousand: [0.5, "price of a thousand mails"],
} as const satisfies Record<string, [value: number, meaning: string]>;

export type Parameters = Record<keyof typeof PARAMETERS, number>;

/** When the values above were assumed, and the prices with them: in the same currency, whichever. */
export const ASSUMED = "November 2026";

/** The assumptions, changed by flags such as `--pages=5`. @throws when there is no such flag, or its value is no number */
export function readParameters(flags: readonly string[]): Parameters {
  const parameters = Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, [value]]) => [name, value]),
  ) as Parameters;
  for (const flag of flags) {
    const [, name = "", value = ""] = /^--(\w+)=(.+)$/.exec(flag) ?? [];
    if (!isParameter(name) || !(Number(value) >= 0))
      throw new Error(
        `${flag} is none of ${Object.keys(PARAMETERS)
          .map((each) => `--${each}=…`)
          .join(" ")}`,
      );
    parameters[name] = Number(value);
  }
  return parameters;
}

const isParameter = (name: string): name is keyof Parameters => Object.hasOwn(PARAMETERS, name);
