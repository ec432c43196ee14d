import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { formatMoney } from "../plans.ts";
import { type InvoiceLine, type PlanOverview, refundedOf } from "./plan-overview.ts";

/** That the last plan is over, since when, and what came back. */
export function PlanEnded({ plan, invoices }: { plan: PlanOverview; invoices: InvoiceLine[] }) {
  const isOwed = plan.applying === "refund" || plan.applying === "withdraw";
  const refunded = refundedOf(plan, invoices);
  return (
    <p>
      {plan.name} ended{plan.endedAt && " on "}
      {plan.endedAt && <FormattedEnd instant={plan.endedAt} />}. Nothing more will be charged.
      {isOwed && " Your money is on its way back."}
      {refunded > 0 &&
        !isOwed &&
        ` ${formatMoney(refunded, plan.price.currency)} went back the way you paid; banks take up to ten days to show it.`}
    </p>
  );
}
