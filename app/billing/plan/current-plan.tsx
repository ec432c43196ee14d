import type { ReactNode } from "react";
import { addedDays, type FeatureStates, useFeatures } from "../../entitlements/features.ts";
import { PlanEnd } from "../../entitlements/subscription-facts.tsx";
import { DialogLink } from "../../ui/dialog.tsx";
import { FormattedDue } from "../../ui/formatted-date.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { chargedAmount, formatMoney } from "../plans.ts";
import { type CancelData, CancelForm } from "./cancel-form.tsx";
import { PlanNotice, PortalButton, Undo } from "./plan-notice.tsx";
import { isDue, type PlanOverview, situationOf } from "./plan-overview.ts";

/** What is paid next and when, or when it ends. */
export function CurrentPlan({ plan }: { plan: PlanOverview }) {
  const situation = situationOf(plan);
  const canCancel = situation !== "ending" && situation !== "refunding" && plan.applying !== "cancel";
  const canChange = ["active", "trial", "changing", "ending"].includes(situation);
  const cancel = canCancel && (
    <DialogLink<CancelData>
      href="/subscription/cancel"
      title={`Cancel ${plan.name}`}
      className="inline-flex items-center min-h-11"
      label="Cancel plan"
    >
      {(data, close) => <CancelForm {...data} close={close} />}
    </DialogLink>
  );
  const { label, figure, more } = whatIsNext(plan, useFeatures());
  // The notice says all there is.
  const isAllSaid = plan.applying || (isDue(plan) && !plan.waitingPlan);
  return (
    <>
      <PlanNotice plan={plan}>{cancel}</PlanNotice>
      {!isAllSaid && (
        <section className="next-card" aria-label="Your plan">
          <div>
            <p className="text-quiet">{label}</p>
            <p className="next-figure">{figure}</p>
            {more && <p>{more}</p>}
          </div>
          <div className="next-links">
            {situation === "ending" && <Undo pendingLabel="Keeping…">Keep my plan</Undo>}
            {canChange && (
              <PageLink href="/subscription/change" className="inline-flex items-center min-h-11">
                Change plan
              </PageLink>
            )}
            {cancel}
          </div>
          {plan.expiringCard && (
            <div className="next-warning">
              <p>
                <strong>Your {plan.expiringCard}, before this payment.</strong>
              </p>
              <PortalButton to="card">Update card</PortalButton>
            </div>
          )}
        </section>
      )}
    </>
  );
}

interface Next {
  label: string;
  figure: ReactNode;
  more?: ReactNode;
}

function whatIsNext(plan: PlanOverview, features: FeatureStates): Next {
  const { name, tier, next, nextPlan, cancelAt, price, plusTax, openPayment, daysGiven } = plan;
  const renewal = `${chargedAmount(price)}${plusTax}`;
  if (openPayment && !plan.waitingPlan) {
    const figure = formatMoney(openPayment.amount, openPayment.currency);
    return { label: "Payment due", figure, more: name };
  }
  if (next) {
    const figure = formatMoney(next.amount, price.currency);
    const day = <PlanEnd tier={tier} instant={next.at} />;
    if (situationOf(plan) === "trial") {
      const more = (
        <>
          Your free trial ends on {day}. Then you pay {renewal}, unless you cancel before then.
        </>
      );
      return { label: "First payment", figure, more };
    }
    const paid = nextPlan ?? plan;
    const more = (
      <>
        {`${paid.name}, ${paid.price.interval}ly, on `}
        {day}
        {!!daysGiven && `, ${daysGiven} ${daysGiven === 1 ? "day" : "days"} later for the time you waited`}
      </>
    );
    return { label: "Next payment", figure, more };
  }
  if (cancelAt) {
    return {
      label: `${name} ends on`,
      figure: <FormattedDue instant={cancelAt} />,
      more: `You keep it until then${addedDays(tier, features, cancelAt)}. Nothing more will be charged.`,
    };
  }
  return { label: name, figure: renewal };
}
