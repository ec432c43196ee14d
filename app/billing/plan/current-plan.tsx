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

interface CurrentPlanProps {
  plan: PlanOverview;
  /** The page names the plan. */
  isNamed?: boolean;
  /** The page says when it renews or ends. */
  isDated?: boolean;
}

/** What is paid next and when, or when it ends. */
export function CurrentPlan(props: CurrentPlanProps) {
  const { plan, isDated } = props;
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
  const { label, figure, more } = whatIsNext(props, useFeatures());
  // The notice says all there is.
  const isAllSaid = plan.applying || (isDue(plan) && !plan.waitingPlan);
  return (
    <>
      <PlanNotice plan={plan} isDated={isDated}>
        {cancel}
      </PlanNotice>
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

function whatIsNext({ plan, isNamed, isDated }: CurrentPlanProps, features: FeatureStates): Next {
  const { name, tier, next, nextPlan, cancelAt, price, plusTax, openPayment, daysGiven } = plan;
  const renewal = `${chargedAmount(price)}${plusTax}`;
  if (openPayment && !plan.waitingPlan) {
    const figure = formatMoney(openPayment.amount, openPayment.currency);
    return { label: isNamed ? "Payment due" : `${name}, payment due`, figure };
  }
  if (next) {
    const isTrial = situationOf(plan) === "trial";
    const label = isTrial ? "First payment" : "Next payment";
    const paid = nextPlan ?? plan;
    const isNameKnown = isDated || (isNamed && !nextPlan);
    const why = daysGiven
      ? `${daysGiven} ${daysGiven === 1 ? "day" : "days"} later for the time you waited`
      : isTrial && `when your free trial ends. Then ${renewal}, unless you cancel before.`;
    return {
      label: isNameKnown ? label : `${paid.name}, ${label.toLowerCase()}`,
      figure: formatMoney(next.amount, price.currency),
      more: (
        <>
          {isDated ? (
            `${paid.name}, ${paid.price.interval}ly`
          ) : (
            <>
              on <PlanEnd tier={tier} instant={next.at} />
            </>
          )}
          {why && `, ${why}`}
        </>
      ),
    };
  }
  if (cancelAt) {
    return {
      label: isNamed ? "Ends on" : `${name}, ends on`,
      figure: <FormattedDue instant={cancelAt} />,
      more: `You keep it until then${addedDays(tier, features, cancelAt)}. Nothing more will be charged.`,
    };
  }
  return { label: isNamed ? "Price" : name, figure: renewal };
}
