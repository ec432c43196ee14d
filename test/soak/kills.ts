import { setTimeout as sleep } from "node:timers/promises";
import { rollDice } from "../dice.ts";
import { type Buyer, choosePlan, compareBuyers, createBuyers, payAt } from "./checkouts.ts";
import { openSite, type Site, settled } from "./site.ts";

/** How long everything may take to settle after the last start, in seconds. */
const SETTLED_SECONDS = 60;
/** Long enough for a checkout to go all the way from the button to the mail. */
const LONGEST_MILLISECONDS = 1_500;

/**
 * Kills the only process at random moments of a checkout, its webhook, its sync and its mail, and starts it again; the
 * buyer tries again what failed. In the end each has one customer, one subscription, one plan and one receipt.
 *
 * @returns a line for each difference
 */
export async function kills(times: number, seed: number): Promise<string[]> {
  const dice = rollDice(seed);
  const site = await openSite(1);
  try {
    const buyers = await createBuyers(site, times);
    const moments = new Map<string, number>();
    for (const buyer of buyers) {
      const buying = buy(site, buyer).catch(() => {});
      // Most of a checkout happens in its first moments.
      await sleep(dice() ** 3 * LONGEST_MILLISECONDS);
      const moment = buyer.returnUrl
        ? "after paying"
        : buyer.paymentPage
          ? "on the payment page"
          : "before it";
      moments.set(moment, (moments.get(moment) ?? 0) + 1);
      await site.killAndRestart(0);
      await buying;
      // They try again until they have paid.
      for (let attempt = 0; attempt < 20 && !buyer.returnUrl; attempt++) {
        await buy(site, buyer).catch(() => {});
      }
    }
    const seconds = await settled(site, SETTLED_SECONDS);
    const { rows } = await site.pool.query(
      `SELECT mail->>'to' AS reader, count(*)::int AS receipts FROM sandbox_mail.messages
       WHERE mail->>'subject' ~* 'receipt' GROUP BY 1`,
    );
    console.log(
      `killed ${times} times (${[...moments].map(([moment, count]) => `${count} ${moment}`).join(", ")}), settled ${seconds.toFixed(1)} s after the last`,
    );
    const receipts = new Map(rows.map((row) => [row.reader, row.receipts]));
    return [
      ...(await compareBuyers(site, buyers)),
      ...buyers.flatMap(({ id }) =>
        receipts.get(`${id}@example.com`) === 1
          ? []
          : [`${id} has ${receipts.get(`${id}@example.com`) ?? 0} receipts`],
      ),
    ];
  } finally {
    await site.close();
  }
}

/** From where they are to the page after payment. */
async function buy({ origin }: Pick<Site, "origin">, buyer: Buyer): Promise<void> {
  if (!buyer.paymentPage) await choosePlan(origin, origin, buyer);
  if (buyer.paymentPage && !buyer.returnUrl) await payAt(origin, buyer);
  if (buyer.returnUrl)
    await fetch(buyer.returnUrl, { headers: { cookie: buyer.cookie }, redirect: "manual" });
}
