import { setTimeout as sleep } from "node:timers/promises";
import { drizzle } from "drizzle-orm/node-postgres";
import { enqueueDueChecks } from "../../app/billing/attempt-checks.server.ts";
import { choosePlan, compareBuyers, createBuyers, payAt } from "../checkouts.ts";
import { runAsProcess } from "../command.ts";
import { rollDice } from "../dice.ts";
import { control } from "../http.ts";
import { eachOf } from "../loops.ts";
import { openSite, type Site, settled } from "../running-site.ts";
import { compare, live, startLives } from "./lifecycle.ts";

/** Attempts are checked after a minute, by a sweep every half minute. */
const SWEPT_SECONDS = 180;

/**
 * A day on which every webhook is lost: subscriptions change at Stripe, and new customers pay without returning to the site. The
 * sweeps find the first payments, `npm run ops -- reconcile` everything else, and a second one finds nothing.
 *
 * @param isHurried starts the sweep at once, and compares only afterwards
 * @returns a line for each difference
 */
export async function outage(size: number, seed: number, isHurried = false): Promise<string[]> {
  const dice = rollDice(seed);
  await using site = await openSite(1);
  const { origin } = site;
  const lives = await startLives(site, size, dice);
  await settled(site, 120);
  if (!isHurried) console.log(`before: ${await reconcile(site)}`);

  await control(site, { events_lost: 1 });
  for (let change = 0; change < 3; change++) await eachOf(lives, 8, (life) => live(site.stripe, life, dice));
  const buyers = await createBuyers(site, size);
  await eachOf(buyers, 8, async (buyer) => {
    await choosePlan(origin, origin, buyer);
    await payAt(origin, buyer);
  });
  await control(site, { reset: true });
  console.log(
    `${(await compare(site, lives)).length} differences after the day, ${(await compareBuyers(site, buyers)).length} of ${size} first payments unknown`,
  );

  if (isHurried) {
    await site.pool.query("UPDATE checkout_attempts SET check_at = now()");
    await enqueueDueChecks(drizzle(site.pool));
  }
  const since = Date.now();
  while ((await compareBuyers(site, buyers)).length > 0 && Date.now() - since < SWEPT_SECONDS * 1000)
    await sleep(isHurried ? 100 : 1_000);
  console.log(`the sweep took ${Math.round((Date.now() - since) / 1000)} s to find the first payments`);
  console.log(await reconcile(site));
  const second = await reconcile(site);
  console.log(second);
  await settled(site, 120);
  return [
    ...(second.includes(" 0 differences") ? [] : ["the second reconcile found something"]),
    ...(await compareBuyers(site, buyers)),
    ...(await compare(site, lives)),
  ];
}

/** @returns what `npm run ops -- reconcile` prints, without the line for each customer */
async function reconcile({ environment }: Site): Promise<string> {
  const { code, printed } = await runAsProcess("bin/ops.ts", ["reconcile"], environment);
  // 1: something was mended.
  if (code > 1) throw new Error(printed);
  const lines = printed.split("\n").filter((line) => /^\S.*compared|^ {2}/.test(line));
  return lines.join("\n");
}
