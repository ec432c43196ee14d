/**
 * Lists the prices on sale, and those of Stripe that are not, with the reason: `npm run catalogue -- list`.
 */
import { readCatalogue } from "../app/billing/catalogue.server.ts";
import { formatMoney } from "../app/billing/plans.ts";
import { withDatabase } from "./open.ts";

const args = process.argv.slice(2);
if (args.join(" ") === "list") await list();
else {
  console.error("Usage:\n  npm run catalogue -- list");
  process.exitCode = 1;
}

async function list(): Promise<void> {
  await withDatabase(async ({ db }, { currency, payments }) => {
    if (payments.mode === "off") console.log(`nothing can be bought: payments are off, ${payments.reason}`);
    const { plans, skipped } = await readCatalogue(db, currency);
    const onSale = plans.flatMap((plan) =>
      plan.prices.map(({ id, unitAmount, interval }) => ({
        plan: plan.name,
        tier: plan.tier,
        price: id,
        amount: `${formatMoney(unitAmount, currency)} a ${interval}`,
      })),
    );
    if (onSale.length === 0) console.log("the mirror of the payments store has no price to sell");
    else console.table(onSale);
    for (const { id, plan, reason } of skipped) console.log(`not on sale: ${id} (${plan}) ${reason}`);
  });
}
