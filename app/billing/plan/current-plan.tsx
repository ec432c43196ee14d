import type { ReactNode } from "react";
import { addedDays, type FeatureStates, useFeatures } from "../../entitlements/features.ts";
import { PlanEnd } from "../../entitlements/subscription-facts.tsx";
import { DialogLink } from "../../ui/dialog.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { chargedAmount, formatMoney } from "../plans.ts";
import { CancelForm } from "./cancel-form.tsx";
import { PlanNotice, Undo } from "./plan-notice.tsx";
import { type PlanOverview, situationOf } from "./plan-overview.ts";

interface CurrentPlanProps {
  plan: PlanOverview;
  /** The page names the plan. */
  isNamed?: boolean;
}

/** What is paid next and when, or when it ends. */
export function CurrentPlan(props: CurrentPlanProps) {
  const { plan } = props;
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
  const { label, figure, more } = whatIsNext(props, useFeatures());
  // The notice says all there is.
  const isOwed = ["past_due", "unpaid", "incomplete"].includes(situation);
  const isDue = isOwed && !plan.applying && !plan.waitingPlan;
  return (
    <>
      <PlanNotice plan={plan}>{cancel}</PlanNotice>
      {!isDue && (
        <section className="next-card" aria-label="Your plan">
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

interface Next {
  label: string;
  figure: ReactNode;
  more?: ReactNode;
}

function whatIsNext({ plan, isNamed }: CurrentPlanProps, features: FeatureStates): Next {
  const { name, tier, next, nextPlan, cancelAt, price, plusTax, openPayment, daysGiven, applying } = plan;
  const renewal = `${chargedAmount(price)}${plusTax}`;
  if (applying) {
    const isEnding = applying !== "resume" && applying !== "change";
    return {
      label: isNamed ? "Price" : name,
      figure: renewal,
      more: isEnding && "Nothing more will be charged once this is confirmed.",
    };
  }
  if (openPayment && !plan.waitingPlan) {
    const figure = formatMoney(openPayment.amount, openPayment.currency);
    return { label: isNamed ? "Payment due" : `${name}, payment due`, figure };
  }
  if (next) {
    const isTrial = situationOf(plan) === "trial";
    const label = isTrial ? "First payment" : "Next payment";
    const isNameKnown = isNamed && !nextPlan;
    const why = daysGiven
      ? `${daysGiven} ${daysGiven === 1 ? "day" : "days"} later for the time you waited`
      : isTrial && `when your free trial ends. Then ${renewal}, unless you cancel before.`;
    return {
      label: isNameKnown ? label : `${nextPlan?.name ?? name}, ${label.toLowerCase()}`,
      figure: formatMoney(next.amount, price.currency),
      more: (
        <>
          on <PlanEnd tier={tier} instant={next.at} />
          {why && `, ${why}`}
        </>
      ),
    };
  }
  if (cancelAt) {
    return {
      label: isNamed ? "Ends on" : `${name}, ends on`,
      figure: <FormattedEnd instant={cancelAt} />,
      more: `You keep it until then${addedDays(tier, features, cancelAt)}. Nothing more will be charged.`,
    };
  }
  return { label: isNamed ? "Price" : name, figure: renewal };
}
