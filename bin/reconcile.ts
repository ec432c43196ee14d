/**
 * Compares every customer with Stripe and mends what differs: `npm run reconcile [-- --json]`.
 *
 * Exits with 0 when nothing differed, 1 when all that did was mended, 2 when something could not be.
 */

import { connectPayments } from "../app/billing/stripe.server.ts";
import {
  countByKind,
  hasFailed,
  type Reconciliation,
  reconcile,
} from "../app/billing/sync/reconcile.server.ts";
import { withDatabase } from "./open.ts";

const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && option !== "--json")) {
  console.error("Usage:\n  npm run reconcile [-- --json]");
  process.exitCode = 2;
} else await run(option === "--json");

async function run(asJson: boolean): Promise<void> {
  let code = 2;
  await withDatabase(async ({ db }, config) => {
    const payments = connectPayments(config.payments, `http://127.0.0.1:${config.port}/sandbox/stripe`);
    if (!payments.isOn) return console.error(`payments are off: ${payments.reason}`);
    const found = await reconcile(payments.stripe, db, config);
    if (!found) return console.error("another process compares the customers with Stripe just now");
    if (asJson) console.log(JSON.stringify(found, null, 2));
    else print(found);
    code = hasFailed(found) ? 2 : found.drift.length > 0 ? 1 : 0;
  });
  // Also in place of the 1 with which commands end that could not run.
  process.exitCode = code;
}

function print(found: Reconciliation): void {
  const { customers, drift, foreignSubscriptions, orphans, failed, isComplete } = found;
  console.log(`${customers} customers compared with Stripe, ${drift.length} differences mended`);
  for (const [kind, count] of Object.entries(countByKind(found))) console.log(`  ${count} × ${kind}`);
  for (const { kind, stripeCustomerId, id, columns } of drift) {
    console.log(
      `mended: ${kind}: ${[id, stripeCustomerId].filter(Boolean).join(" of ")}${columns ? ` (${columns.join(", ")})` : ""}`,
    );
  }
  if (foreignSubscriptions.length > 0)
    console.log(
      `not sold here: ${foreignSubscriptions.length} subscriptions (${foreignSubscriptions.join(", ")})`,
    );
  for (const { subscription, stripeCustomerId } of orphans)
    console.log(
      `nobody’s: ${subscription} of ${stripeCustomerId} is a plan of this site, and its user is not here`,
    );
  for (const { stripeCustomerId, reason } of failed)
    console.log(`failed: ${stripeCustomerId ?? "the list of customers"}: ${reason}`);
  if (!isComplete) console.log("Stripe did not answer; what is left was not compared");
}
