import { connectPaymentsOfServer } from "../../app/billing/stripe.server.ts";
import {
  countByKind,
  hasFailed,
  type Reconciliation,
  reconcile,
} from "../../app/billing/sync/reconcile.server.ts";
import { answerFrom } from "../open.ts";
import { type OpsAnswer, type OpsCommands, OpsError, readArguments } from "./command.ts";

const MENDED = 1;
const NOT_MENDED = 2;

export const commands: OpsCommands = {
  "": {
    usage: "",
    summary:
      "compares every customer with Stripe and mends what differs; exits with 0 when nothing did, 1 when all was mended, 2 when something could not be",
    async run(args) {
      readArguments(args, {});
      try {
        return await answerFrom(async ({ db }, config) => {
          const payments = connectPaymentsOfServer(config);
          if (!payments.isOn) throw new OpsError(`payments are off: ${payments.reason}`);
          const found = await reconcile({ stripe: payments.stripe, db, config });
          if (!found) throw new OpsError("another process compares the customers with Stripe just now");
          return toAnswer(found);
        });
      } catch (error) {
        if (!(error instanceof OpsError)) throw error;
        // Other commands fail with 1, which says here that all was mended.
        console.error(error.message);
        return { text: "", data: { error: error.message }, exitCode: NOT_MENDED };
      }
    },
  },
};

function toAnswer(found: Reconciliation): OpsAnswer {
  const { customers, drift, foreignSubscriptions: foreign, orphans, failed, isComplete } = found;
  const lines = [
    `${customers} customers compared with Stripe, ${drift.length} differences mended`,
    ...Object.entries(countByKind(found)).map(([kind, count]) => `  ${count} × ${kind}`),
    ...drift.map(({ kind, stripeCustomerId, id, columns }) => {
      const what = [id, stripeCustomerId].filter(Boolean).join(" of ");
      return `mended: ${kind}: ${what}${columns ? ` (${columns.join(", ")})` : ""}`;
    }),
    ...(foreign.length > 0 ? [`not sold here: ${foreign.length} subscriptions (${foreign.join(", ")})`] : []),
    ...orphans.map(
      ({ subscription, stripeCustomerId }) =>
        `nobody’s: ${subscription} of ${stripeCustomerId} is a plan of this site, and its user is not here`,
    ),
    ...failed.map(
      ({ stripeCustomerId, reason }) => `failed: ${stripeCustomerId ?? "the list of customers"}: ${reason}`,
    ),
    ...(isComplete ? [] : ["Stripe did not answer; what is left was not compared"]),
  ];
  return {
    text: lines.join("\n"),
    data: found,
    exitCode: hasFailed(found) ? NOT_MENDED : drift.length > 0 ? MENDED : 0,
  };
}
