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
        <p className="font-semibold">Your plan is on hold.</p>
        <p>
          Your last payment for {plan.name} didn’t go through. We’ll try again over the next few days, and
          your plan is back as soon as it works. To pay another way or to cancel, email {address}.
        </p>
      </Notice>
    );
  }
  if (plan.cancelAt) {
    return (
      <p>
        {plan.name} ends on <FormattedDate instant={plan.cancelAt} />. Nothing more will be charged.
      </p>
    );
  }
  return (
    <p>
      {plan.name} renews on <FormattedDate instant={plan.currentPeriodEnd} /> for{" "}
      {formatMoney(plan.unitAmount, plan.currency)}. To change or cancel it, email {address}. After you
      cancel, you keep the plan until that day.
    </p>
  );
}
