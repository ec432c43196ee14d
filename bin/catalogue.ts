/**
 * What is on sale, and what is not and why; and the plans at Stripe that the site sells:
 *
 *   npm run catalogue -- list
 *   npm run catalogue -- sync
 *   npm run catalogue -- push
 */
import { parseArgs } from "node:util";
import Stripe from "stripe";
import { readCatalogue, syncCatalogue } from "../app/billing/catalogue.server.ts";
import { formatMoney, type Plan, type Price, priceFor } from "../app/billing/plans.ts";
import { pushPlans } from "../app/billing/push-plans.server.ts";
import { listRetiredPrices } from "../app/billing/retired-prices.server.ts";
import { SPEC_CURRENCY } from "../app/billing/spec-plans.ts";
import { connectPayments } from "../app/billing/stripe.server.ts";
import type { Config } from "../app/config/config.server.ts";
import { isLiveKey } from "../app/config/environment.server.ts";
import type { Database } from "../app/db/client.server.ts";
import { readConfigOrExit, withDatabase } from "./open.ts";

const USAGE = `Usage:
  npm run catalogue -- list [--json]          what is on sale, what is not and why, and what is still paid by customers
  npm run catalogue -- sync [--json]          fetches products and prices from Stripe now, then lists them
  npm run catalogue -- push [--live] [--json] creates the plans at Stripe, in an account that has no products

Exits with 0; with 1 when it could not run or refused to; list and sync with 2 when nothing is on sale.`;

const INTERVALS = ["month", "year"] as const;

const wanted = readArguments(process.argv.slice(2));
if (wanted) await run(wanted);

interface Wanted {
  command: "list" | "sync" | "push";
  isJson: boolean;
  isLiveMeant: boolean;
}

async function run({ command, isJson, isLiveMeant }: Wanted): Promise<void> {
  try {
    if (command === "push") return await push({ isJson, isLiveMeant });
    await withDatabase(async ({ db }, config) => {
      if (command === "sync") {
        const stripe = stripeOf(config);
        if (!stripe) return;
        await syncCatalogue(stripe, db);
      }
      await list(db, config, isJson);
    });
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    fail(`Stripe: ${error.message}`);
  }
}

async function list(
  db: Database,
  { currency, payments }: Pick<Config, "currency" | "payments">,
  isJson: boolean,
): Promise<void> {
  const { plans, skipped } = await readCatalogue(db, currency);
  const onSale = plans.flatMap((plan) => plan.prices.map((price) => ({ plan, price })));
  const retired = await listRetiredPrices(
    db,
    onSale.map(({ price }) => price.id),
  );
  const paymentsOff = payments.mode === "off" ? payments.reason : null;
  if (onSale.length === 0 || paymentsOff) process.exitCode = 2;
  if (isJson) return console.log(JSON.stringify({ currency, paymentsOff, plans, skipped, retired }, null, 2));

  if (paymentsOff) console.log(`nothing can be bought: payments are off, ${paymentsOff}`);
  if (onSale.length === 0) console.log("the mirror of the payments store has no price to sell");
  else
    console.table(
      onSale.map(({ plan, price }) => ({
        plan: plan.name,
        tier: plan.tier,
        price: price.id,
        amount: amountOf(price),
      })),
    );
  for (const line of plans.flatMap(missingPeriods)) console.log(line);
  for (const { id, plan, reason } of skipped) console.log(`not on sale: ${id} (${plan}) ${reason}`);
  for (const price of retired)
    console.log(
      `retired: ${price.id} (${price.plan}), ${amountOf(price)}, is still paid by ${price.subscriptions} of the subscriptions`,
    );
}

function amountOf({ unitAmount, currency, interval }: Price): string {
  return `${formatMoney(unitAmount, currency)} a ${interval}`;
}

function missingPeriods(plan: Plan): string[] {
  const missing = INTERVALS.filter((interval) => !priceFor(plan, interval));
  return missing.map((interval) => `not on sale: ${plan.name} by the ${interval}: it has no such price`);
}

async function push({ isJson, isLiveMeant }: Pick<Wanted, "isJson" | "isLiveMeant">): Promise<void> {
  const config = readConfigOrExit();
  const { payments, currency } = config;
  if (payments.mode === "stripe" && isLiveKey(payments.secretKey) && !isLiveMeant)
    return fail("STRIPE_SECRET_KEY is a live key. Add --live to create what can be paid with real money");
  if (currency !== SPEC_CURRENCY)
    return fail(
      `the plans' prices are in ${SPEC_CURRENCY}, and this site sells in ${currency} (CURRENCY). Create products and ` +
        "prices of your own, as docs/stripe.md says",
    );
  const stripe = stripeOf(config);
  if (!stripe) return;
  const pushed = await pushPlans(stripe);
  if (!pushed.ok)
    return fail(
      `this account has products of its own: ${pushed.others.join(", ")}. Nothing was changed. Archive them, or give ` +
        "them the metadata that docs/stripe.md names",
    );
  const { created, existing } = pushed;
  if (isJson) return console.log(JSON.stringify({ created, existing }, null, 2));
  for (const name of created) console.log(`created ${name}`);
  if (existing.length > 0) console.log(`left as they were: ${existing.join(", ")}`);
  console.log("The site follows by the webhook, or by npm run catalogue -- sync");
}

/** Stripe, or its sandbox in the server that runs on PORT; says so and returns `null` when payments are off. */
function stripeOf({ payments, port }: Config): Stripe | null {
  const connected = connectPayments(payments, `http://127.0.0.1:${port}/sandbox/stripe`);
  if (connected.isOn) return connected.stripe;
  fail(`payments are off: ${connected.reason}`);
  return null;
}

function readArguments(args: string[]): Wanted | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { json: { type: "boolean" }, live: { type: "boolean" } },
    });
    const [command, ...rest] = positionals;
    const isKnown = command === "list" || command === "sync" || command === "push";
    if (!isKnown || rest.length > 0 || (values.live && command !== "push")) return fail(USAGE);
    return { command, isJson: values.json ?? false, isLiveMeant: values.live ?? false };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function fail(message: string): undefined {
  console.error(message);
  process.exitCode = 1;
}
