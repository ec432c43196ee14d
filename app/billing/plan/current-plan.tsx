import type { ReactNode } from "react";
import { AddedDays, PlanEnd } from "../../entitlements/subscription-facts.tsx";
import { DialogLink } from "../../ui/dialog.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { chargedAmount, formatMoney } from "../plans.ts";
import { CancelForm } from "./cancel-form.tsx";
import { PlanNotice, Undo } from "./plan-notice.tsx";
import { type PlanOverview, situationOf } from "./plan-overview.ts";

export function CurrentPlan({ plan }: { plan: PlanOverview }) {
  const situation = situationOf(plan);
  const canCancel = situation !== "ending" && situation !== "refunding" && plan.applying !== "cancel";
  const canChange = ["active", "trial", "changing", "ending"].includes(situation) && !plan.applying;
  const cancel = canCancel && (
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
      {(data, close) => <CancelForm {...data} close={close} />}
    </DialogLink>
  );
  const { label, figure, more } = whatIsNext(plan);
  // The notice says all there is.
  const isOwed = ["past_due", "unpaid", "incomplete"].includes(situation);
  const isDue = isOwed && !plan.applying && !plan.waitingPlan;
  return (
    <>
      <PlanNotice plan={plan}>{cancel}</PlanNotice>
      {!isDue && (
        <section className="next-card" aria-label={label}>
          <div>
            <p className="text-quiet">{label}</p>
            <p className="next-figure">{figure}</p>
            {more && <p>{more}</p>}
          </div>
          <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
            {situation === "ending" && !plan.applying && <Undo pendingLabel="Keeping…">Keep my plan</Undo>}
            {canChange && (
              <PageLink href="/subscription/change" className="inline-flex items-center min-h-11 min-w-11">
                Change <span className="sr-only">plan or period</span>
              </PageLink>
            )}
            {cancel}
          </div>
        </section>
      )}
    </>
  );
}

function whatIsNext(plan: PlanOverview): { label: string; figure: ReactNode; more?: ReactNode } {
  const { name, tier, next, nextPlan, cancelAt, price, plusTax, openPayment, daysGiven, applying } = plan;
  const renewal = `${chargedAmount(price)}${plusTax}`;
  if (applying) {
    const isEnding = applying !== "resume" && applying !== "change";
    const more = isEnding && "Nothing more will be charged once this is confirmed.";
    return { label: name, figure: renewal, more };
  }
  if (openPayment && !plan.waitingPlan) {
    return { label: `${name}, payment due`, figure: formatMoney(openPayment.amount, openPayment.currency) };
  }
  if (next) {
    const isTrial = situationOf(plan) === "trial";
    return {
      label: `${nextPlan?.name ?? name}, ${isTrial ? "first" : "next"} payment`,
      figure: formatMoney(next.amount, price.currency),
      more: (
        <>
          on <PlanEnd tier={tier} instant={next.at} />
          {daysGiven && `, ${daysGiven} ${daysGiven === 1 ? "day" : "days"} later for the time you waited`}
          {isTrial && `, when your free trial ends. Then ${renewal}, unless you cancel before.`}
        </>
      ),
    };
  }
  if (cancelAt) {
    return {
      label: `${name}, ends on`,
      figure: <FormattedEnd instant={cancelAt} />,
      more: (
        <>
          <AddedDays tier={tier} instant={cancelAt} after=". " />
          Nothing more will be charged.
        </>
      ),
    };
  }
  return { label: name, figure: renewal };
}
