import { FormattedDate } from "../ui/formatted-date.tsx";
import { Notice } from "../ui/notice.tsx";
import { useSite } from "../ui/site.ts";
import type { PaidPlan } from "./paid-plan.server.ts";
import { formatMoney } from "./plans.ts";

/** The next charge for the user's paid plan, and how to cancel it. */
export function PaidPlanNotice({ plan }: { plan: PaidPlan }) {
  const { supportEmail } = useSite();
  const address = <a href={`mailto:${supportEmail}`}>{supportEmail}</a>;
  if (plan.status !== "active" && plan.status !== "trialing") {
    return (
      <Notice tone="bad">
        <p className="font-semibold">Your subscription is on hold.</p>
        <p>
          The last payment for {plan.name} did not go through. It is tried again by itself over the next days,
          and your plan is back as soon as one does. To pay in another way or to end it, write to {address}.
        </p>
      </Notice>
    );
  }
  if (plan.cancelAt) {
    return (
      <p>
        {plan.name} ends on <FormattedDate instant={plan.cancelAt} />. Nothing more is charged.
      </p>
    );
  }
  return (
    <p>
      {plan.name}: on <FormattedDate instant={plan.currentPeriodEnd} /> we charge{" "}
      {formatMoney(plan.unitAmount, plan.currency)} for another {plan.interval}. To cancel, write to {address}
      ; you keep the plan until that day.
    </p>
  );
}
