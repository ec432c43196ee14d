import Stripe from "stripe";
import { COMMAND_LINE } from "../../app/audit/record-change.server.ts";
import {
  missingPeriods,
  readCatalogueState,
  syncCatalogueAs,
} from "../../app/billing/catalogue-state.server.ts";
import { formatMoney, type Price } from "../../app/billing/plans.ts";
import { pushPlans } from "../../app/billing/push-plans.server.ts";
import { SPEC_CURRENCY } from "../../app/billing/spec-plans.ts";
import { connectPaymentsOfServer } from "../../app/billing/stripe.server.ts";
import type { Config } from "../../app/config/config.server.ts";
import { isLiveKey } from "../../app/config/environment.server.ts";
import type { Database } from "../../app/db/client.server.ts";
import { answerFrom, readConfigOrExit } from "../open.ts";
import { FAILED, type OpsAnswer, type OpsCommands, OpsError, readArguments } from "./command.ts";

export const commands: OpsCommands = {
  list: {
    usage: "list",
    summary:
      "what is on sale, what is not and why, and what is still paid by customers; exits with 1 when nothing can be bought",
    run(args) {
      readArguments(args, {});
      return answerFrom(({ db }, config) => describeCatalogue(db, config));
    },
  },
  sync: {
    usage: "sync",
    summary: "fetches products and prices from Stripe now, then lists them",
    run(args) {
      readArguments(args, {});
      return answerFrom(async ({ db }, config) => {
        await orOfStripe(syncCatalogueAs(connectStripe(config), db, COMMAND_LINE));
        return describeCatalogue(db, config);
      });
    },
  },
  push: {
    usage: "push [--live]",
    summary: "creates the plans at Stripe, in an account that has no products",
    async run(args) {
      const { values } = readArguments(args, { live: { type: "boolean" } });
      return push(values.live ?? false);
    },
  },
};

/** More subscriptions than there will be: a command has the time to count them all. */
const EVERYTHING = 1_000_000_000;

/** The plans on sale, as lines and as data. */
async function describeCatalogue(db: Database, config: Config): Promise<OpsAnswer> {
  const state = await readCatalogueState(db, config, EVERYTHING);
  const { plans, skipped, retired, paymentsOff } = state;
  const onSale = plans.flatMap((plan) =>
    plan.prices.map((price) => [plan.name, plan.tier, price.id, amountOf(price)] as const),
  );
  const lines = [
    ...(paymentsOff ? [`nothing can be bought: payments are off, ${paymentsOff}`] : []),
    ...(onSale.length === 0 ? ["the mirror of the payments store has no price to sell"] : columns(onSale)),
    ...plans.flatMap((plan) =>
      missingPeriods(plan).map(
        (interval) => `not on sale: ${plan.name} by the ${interval}: it has no such price`,
      ),
    ),
    ...skipped.map(({ id, plan, reason }) => `not on sale: ${id} (${plan}) ${reason}`),
    ...retired.map(
      (price) =>
        `retired: ${price.id} (${price.plan}), ${amountOf(price)}, is still paid by ${price.subscriptions}${price.isAll ? "" : " or more"} of the subscriptions`,
    ),
  ];
  const isForSale = paymentsOff === null && plans.length > 0;
  return { text: lines.join("\n"), data: state, exitCode: isForSale ? 0 : FAILED };
}

/** Cells under each other. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function amountOf({ unitAmount, currency, interval }: Price): string {
  return `${formatMoney(unitAmount, currency)} a ${interval}`;
}

async function push(isLiveMeant: boolean): Promise<OpsAnswer> {
  const config = readConfigOrExit();
  const { payments, currency } = config;
  if (payments.mode === "stripe" && isLiveKey(payments.secretKey) && !isLiveMeant)
    throw new OpsError(
      "STRIPE_SECRET_KEY is a live key. Add --live to create what can be paid with real money",
    );
  if (currency !== SPEC_CURRENCY)
    throw new OpsError(
      `the plans' prices are in ${SPEC_CURRENCY}, and this site sells in ${currency} (CURRENCY). Create products and ` +
        "prices of your own, as docs/stripe.md says",
    );
  const pushed = await orOfStripe(pushPlans(connectStripe(config)));
  if (!pushed.ok)
    throw new OpsError(
      `this account has products of its own: ${pushed.others.join(", ")}. Nothing was changed. Archive them, or give ` +
        "them the metadata that docs/stripe.md names",
    );
  const { created, existing } = pushed;
  const lines = [
    ...created.map((name) => `created ${name}`),
    ...(existing.length > 0 ? [`left as they were: ${existing.join(", ")}`] : []),
    "The site follows by the webhook, or by npm run ops -- catalogue sync",
  ];
  return { text: lines.join("\n"), data: { created, existing } };
}

/** @throws OpsError while payments are off */
function connectStripe(config: Config): Stripe {
  const connected = connectPaymentsOfServer(config);
  if (connected.isOn) return connected.stripe;
  throw new OpsError(`payments are off: ${connected.reason}`);
}

/** @throws OpsError with what Stripe complains about */
function orOfStripe<Answer>(work: Promise<Answer>): Promise<Answer> {
  return work.catch((error: unknown) => {
    throw error instanceof Stripe.errors.StripeError ? new OpsError(`Stripe: ${error.message}`) : error;
  });
}
