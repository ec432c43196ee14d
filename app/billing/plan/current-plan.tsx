import { DialogLink } from "../../ui/dialog.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { formatMoney } from "../plans.ts";
import { CancelForm } from "./cancel-form.tsx";
import { type InvoiceLine, type PlanOverview, refundedOf, situationOf } from "./plan-overview.ts";

/** The current plan and its next payment, in one line, with Change and Cancel. */
export function CurrentPlan({ plan }: { plan: PlanOverview }) {
  const situation = situationOf(plan);
  const canCancel = situation !== "ending" && situation !== "refunding" && plan.applying !== "cancel";
  const canChange = ["active", "trial", "changing", "ending"].includes(situation) && !plan.applying;
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-8 gap-y-1">
      <p>
        <strong>{plan.name}</strong> · <WhatIsNext plan={plan} />
      </p>
      <div className="flex gap-x-6">
        {canChange && (
          <PageLink href="/subscription/change" className="inline-flex items-center min-h-11 min-w-11">
            Change <span className="sr-only">plan or period</span>
          </PageLink>
        )}
        {canCancel && (
          <DialogLink<{ plan: PlanOverview }>
            href="/subscription/cancel"
            title={`Cancel ${plan.name}`}
            className="inline-flex items-center min-h-11 min-w-11"
            label={
              <>
                Cancel <span className="sr-only">plan</span>
              </>
            }
          >
            {(asked, close) => <CancelForm {...asked} close={close} />}
          </DialogLink>
        )}
      </div>
    </div>
  );
}

function WhatIsNext({ plan }: { plan: PlanOverview }) {
  const { next, cancelAt, price } = plan;
  if (next) {
    return (
      <>
        <span className="amount">{formatMoney(next.amount, price.currency)}</span> on{" "}
        <FormattedEnd instant={next.at} />
      </>
    );
  }
  if (cancelAt) {
    return (
      <>
        ends on <FormattedEnd instant={cancelAt} />
      </>
    );
  }
  return (
    <span className="amount">{`${formatMoney(price.unitAmount, price.currency)} a ${price.interval}`}</span>
  );
}

/** When the last plan ended, and what was refunded. */
export function EndedPlan({ plan, invoices }: { plan: PlanOverview; invoices: InvoiceLine[] }) {
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
