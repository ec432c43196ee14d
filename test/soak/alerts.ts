import { setTimeout as sleep } from "node:timers/promises";
import { readAlerts } from "../alerts.ts";
import { type Break, breaksOf } from "./breaks.ts";
import { checkRules, type Prometheus, startPrometheus } from "./prometheus.ts";
import { openWatchedSite, type WatchedSite } from "./watched-site.ts";

const FIRES_SECONDS = 60;
/** Alerts over the last minutes keep firing for as long. */
const ENDS_SECONDS = 30;
/** Tested by promtool with given series (alerts.test.yml), because a leak, for example, takes too long. */
const BY_PROMTOOL = ["MemoryHigh", "TwoVersions", "StripeRefuses", "SignInsGuessed"];

/**
 * Causes one fault after another, waits until a real Prometheus fires its alert, and checks that the doctor reports it.
 *
 * @returns a line for each alert that did not fire or did not end, and for each fault the doctor did not report
 */
export async function alerts(): Promise<string[]> {
  console.log(checkRules());
  const site = await openWatchedSite();
  const prometheus = await startPrometheus(site.metricsPorts);
  const missing: string[] = [];
  const seen = new Set<string>();
  try {
    const breaks = await breaksOf(site);
    const atFirst = await look(site, prometheus);
    if (atFirst.length > 0) missing.push(`before anything is broken: ${atFirst.join("; ")}`);
    for (const each of breaks) missing.push(...(await provoke(each, site, prometheus, seen)));
  } finally {
    await prometheus.close();
    await site.stop();
  }
  const unseen = readAlerts().flatMap(({ name }) =>
    seen.has(name) || BY_PROMTOOL.includes(name) ? [] : name,
  );
  if (unseen.length > 0) missing.push(`never fired: ${unseen.join(", ")}`);
  console.log(`${seen.size} alerts fired for real, ${BY_PROMTOOL.length} by series that are written down`);
  return missing;
}

/** Checks that a healthy site fires no alert. */
async function look(site: WatchedSite, prometheus: Prometheus): Promise<string[]> {
  // Longer than values from the database are cached.
  await sleep(8_000);
  return [...(await prometheus.firing()), ...(await site.doctor())];
}

async function provoke(
  { name, alerts, says, cause, mend, endsAtOnce }: Break,
  site: WatchedSite,
  prometheus: Prometheus,
  seen: Set<string>,
): Promise<string[]> {
  const missing: string[] = [];
  const start = Date.now();
  let firing = new Set<string>();
  const look = async () => {
    firing = await prometheus.firing();
    for (const alert of firing) seen.add(alert);
  };
  const noneIsFiring = async () => {
    await look();
    return !alerts.some((alert) => firing.has(alert));
  };
  // An alert left over from the previous fault would count for this one.
  if (endsAtOnce && !(await waitFor(noneIsFiring, ENDS_SECONDS))) missing.push(`${name}: was firing before`);
  const goOn = await cause();
  const fired = new Set<string>();
  const isFiring = async () => {
    await look();
    for (const alert of alerts) if (firing.has(alert)) fired.add(alert);
    return fired.size === alerts.length;
  };
  if (!(await waitFor(isFiring, FIRES_SECONDS)))
    missing.push(`${name}: not fired: ${alerts.filter((alert) => !fired.has(alert)).join(", ")}`);
  const seconds = Math.round((Date.now() - start) / 1000);
  const { found, named } = says ? await askDoctor(site, says) : { found: [], named: undefined };
  if (says && !named) missing.push(`${name}: the doctor said ${JSON.stringify(found)}`);
  console.log(
    `${name}\n  alert   ${[...fired].join(", ")} after ${seconds} s\n  doctor  ${named ?? (says ? "did not name it" : "cannot know: it looks at one moment")}`,
  );
  if (typeof goOn === "function") await goOn();
  await mend?.();
  if (!endsAtOnce) return missing;
  if (!(await waitFor(noneIsFiring, ENDS_SECONDS)))
    missing.push(
      `${name}: mended, and still firing: ${alerts.filter((alert) => firing.has(alert)).join(", ")}`,
    );
  return missing;
}

/** Runs the doctor twice if necessary: a short fault, such as a busy moment, may be over. */
async function askDoctor(site: WatchedSite, says: RegExp): Promise<{ found: string[]; named?: string }> {
  let found: string[] = [];
  for (let tries = 0; tries < 2; tries++) {
    found = await site.doctor();
    const named = found.find((line) => says.test(line));
    if (named) return { found, named };
  }
  return { found };
}

async function waitFor(isSo: () => Promise<boolean>, seconds: number): Promise<boolean> {
  const deadline = Date.now() + seconds * 1000;
  while (Date.now() < deadline) {
    if (await isSo()) return true;
    await sleep(500);
  }
  return isSo();
}
