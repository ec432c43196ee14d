import { choosePlan, compareBuyers, createBuyers, payAt } from "../checkouts.ts";
import { control } from "../http.ts";
import { eachOf } from "../loops.ts";
import { openSite, settled } from "../running-site.ts";

/** The longest wait for a page that can be retried, in milliseconds, on an idle machine. */
const LONGEST_MILLISECONDS = 12_000;
const AT_ONCE = 50;
/** Below the limit per minute. */
const MOST_PRESSES = 15;

/**
 * Runs checkouts while the payments sandbox fails: calls that time out, saved errors, and answers lost after success. In the
 * end each buyer has one customer and one subscription, and no page took longer than `longestMilliseconds`.
 *
 * @returns a line for each difference
 */
export async function faults(
  checkouts: number,
  seed: number,
  longestMilliseconds = LONGEST_MILLISECONDS,
): Promise<string[]> {
  await using site = await openSite(1, { DATABASE_POOL_SIZE: "40" });
  const { origin } = site;
  const buyers = await createBuyers(site, checkouts);
  await control(site, { timeouts: 0.3, errors: 0.1, lost_replies: 0.05, seed });
  const waits: number[] = [];
  const wrong: string[] = [];
  const started = Date.now();
  await eachOf(buyers, AT_ONCE, async (buyer) => {
    for (let press = 0; !buyer.paymentPage; press++) {
      if (press === MOST_PRESSES) throw new Error(`no payment page after ${press} presses`);
      const since = Date.now();
      const { status, page } = await choosePlan(origin, origin, buyer);
      waits.push(Date.now() - since);
      if (!buyer.paymentPage && !isRetryable(page)) wrong.push(`${status} and no way to try again`);
    }
    while (!buyer.returnUrl) await payAt(origin, buyer);
    await fetch(buyer.returnUrl, { headers: { cookie: buyer.cookie }, redirect: "manual" });
  });
  await control(site, { timeouts: 0, errors: 0, lost_replies: 0 });
  await settled(site, 240);
  const longest = Math.max(...waits);
  console.log(
    `${checkouts} checkouts in ${waits.length} presses, ${Math.round((Date.now() - started) / 1000)} s; the longest wait was ${longest} ms`,
  );
  if (longest > longestMilliseconds) wrong.push(`one page took ${longest} ms`);
  return [...wrong, ...(await compareBuyers(site, buyers))];
}

const isRetryable = (page: string) =>
  page.includes('name="price"') && page.includes("Failed to initiate checkout");
