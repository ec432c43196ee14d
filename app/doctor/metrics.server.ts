import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config/config.server.ts";
import type { Finding } from "./finding.ts";

type Found = Omit<Finding, "check">[];

const TIMEOUT_MILLISECONDS = 4_000;
/** Between two looks: what waits in both of them has not just come. */
const PAUSE_MILLISECONDS = 1_000;
const SLOW_LOOP_SECONDS = 0.5;

/** What only the process itself knows, by its own metrics: whether requests wait for the database, and webhooks are refused. */
export async function checkMetrics({
  metrics,
  isProduction,
}: Pick<Config, "metrics" | "isProduction">): Promise<Found> {
  if (!metrics)
    return [
      isProduction
        ? {
            level: "warn",
            says: "metrics are off, so that nothing can raise an alert",
            advice: "set METRICS_PORT, see docs/metrics.md and docs/runbook.md",
          }
        : { level: "ok", says: "off, as METRICS_PORT is not set" },
    ];
  const host = ["0.0.0.0", "::"].includes(metrics.host) ? "127.0.0.1" : metrics.host;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${metrics.port}/metrics`;
  try {
    const before = await scrape(url);
    await sleep(PAUSE_MILLISECONDS);
    return describeScrapes(before, await scrape(url), url);
  } catch {
    return [
      {
        level: "fail",
        says: `nothing answers at ${url}`,
        advice: "is the process running, and with this METRICS_PORT and METRICS_HOST?",
      },
    ];
  }
}

/** Sums the values of a metric's series, of those whose labels contain this text. */
type Scraped = (metric: string, labels?: string) => number;

async function scrape(url: string): Promise<Scraped> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
  const lines = (await response.text()).split("\n");
  return (metric, labels = "") =>
    lines
      .filter((line) => /^\w+/.exec(line)?.[0] === metric && line.includes(labels))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

function describeScrapes(before: Scraped, now: Scraped, url: string): Found {
  const found: Found = [];
  const waiting = Math.min(before("db_pool_waiting"), now("db_pool_waiting"));
  if (waiting > 0)
    found.push({
      level: "fail",
      says: `${waiting} callers wait for one of this process’s ${now("db_pool_size")} database connections: all are in use`,
      advice: "docs/runbook.md#poolexhausted has the query that says who holds them",
    });
  const refused = now("stripe_webhooks_total", 'result="bad_signature"');
  if (refused > 0 && now("stripe_webhooks_total", 'result="accepted"') === 0)
    found.push({
      level: "fail",
      says: `all ${refused} deliveries to the webhook since the start had a bad signature`,
      advice:
        "set STRIPE_WEBHOOK_SECRET to the endpoint’s own, from Stripe’s dashboard, Developers → Webhooks",
    });
  // Each is of the time since somebody asked before, which beside a Prometheus is short: one busy moment is not reported.
  const delay = Math.min(...[before, now].map((scraped) => scraped("nodejs_eventloop_lag_p99_seconds")));
  if (delay > SLOW_LOOP_SECONDS)
    found.push({
      level: "warn",
      says: `the process is busy for ${delay.toFixed(1)} seconds at a time, and everybody waits meanwhile`,
      advice: "docs/runbook.md#eventloopblocked",
    });
  if (found.length > 0) return found;
  const used = now("db_pool_connections", 'state="used"');
  return [
    {
      level: "ok",
      says: `${url}: ${used} of ${now("db_pool_size")} database connections in use, nobody waits`,
    },
  ];
}
