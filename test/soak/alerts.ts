import { setTimeout as sleep } from "node:timers/promises";
import { readAlerts } from "../alerts.ts";
import { checkRules, type Prometheus, startPrometheus } from "../prometheus.ts";
import { type Break, breaksOf } from "./breaks.ts";
import { openWatchedSite } from "./watched-site.ts";

const FIRES_SECONDS = 60;
/** Not for alerts about the last minutes, which keep firing that long. */
const ENDS_SECONDS = 30;
/** Longer than values from the database are cached. */
const CACHED_SECONDS = 8;
/** Tested by promtool with given series (alerts.test.yml), because a leak, for example, takes too long. */
const BY_PROMTOOL = ["MemoryHigh", "TwoVersions", "StripeRefuses", "SignInsGuessed"];

/**
 * Causes one fault after another, and waits until a real Prometheus fires its alerts. What the doctor says of each is tested by
 * app/doctor/doctor.site.test.ts.
 *
 * @returns a line for each alert that did not fire or did not end
 */
export async function alerts(): Promise<string[]> {
  console.log(checkRules());
  await using site = await openWatchedSite();
  await using prometheus = await startPrometheus(site.metricsPorts);
  const breaks = await breaksOf(site);
  await sleep(CACHED_SECONDS * 1000);
  const missing = [...(await prometheus.firing())].map((name) => `${name} fires before anything is broken`);
  const seen = new Set(BY_PROMTOOL);
  for (const [name, each] of Object.entries(breaks))
    missing.push(...(await provoke(name, each, prometheus, seen)));
  const unseen = readAlerts().flatMap(({ name }) => (seen.has(name) ? [] : `${name} never fired`));
  console.log(`${seen.size} alerts fired, ${BY_PROMTOOL.length} of them by series that are written down`);
  return [...missing, ...unseen];
}

/** @param seen every alert that ever fired */
async function provoke(
  name: string,
  { alerts, cause, mend, endsAtOnce }: Break,
  prometheus: Prometheus,
  seen: Set<string>,
): Promise<string[]> {
  const missing: string[] = [];
  const fired = new Set<string>();
  const firing = async () => {
    const all = await prometheus.firing();
    for (const alert of all) seen.add(alert);
    return alerts.filter((alert) => all.has(alert));
  };
  const isQuiet = async () => (await firing()).length === 0;
  const haveFired = async () => {
    for (const alert of await firing()) fired.add(alert);
    return fired.size === alerts.length;
  };
  // An alert left over from the previous fault would count for this one.
  if (endsAtOnce && !(await isSoWithin(ENDS_SECONDS, isQuiet))) missing.push(`${name}: was firing before`);
  const start = Date.now();
  const end = await cause();
  if (!(await isSoWithin(FIRES_SECONDS, haveFired)))
    missing.push(`${name}: not fired: ${alerts.filter((alert) => !fired.has(alert)).join(", ")}`);
  console.log(`${name}: ${[...fired].join(", ")} after ${Math.round((Date.now() - start) / 1000)} s`);
  if (typeof end === "function") await end();
  await mend?.();
  if (endsAtOnce && !(await isSoWithin(ENDS_SECONDS, isQuiet)))
    missing.push(`${name}: mended, and still firing: ${(await firing()).join(", ")}`);
  return missing;
}

async function isSoWithin(seconds: number, isSo: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + seconds * 1000;
  while (Date.now() < deadline) {
    if (await isSo()) return true;
    await sleep(500);
  }
  return isSo();
}
