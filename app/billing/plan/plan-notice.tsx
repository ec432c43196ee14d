import type { ReactNode } from "react";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { NoScriptRefresh } from "../../ui/no-script-refresh.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { chargedAmount, formatMoney, type Price } from "../plans.ts";
import { type PlanOverview, situationOf } from "./plan-overview.ts";

/** @param children beside the buttons of a payment that is due */
export function PlanNotice({ plan, children }: { plan: PlanOverview; children: ReactNode }) {
  const situation = situationOf(plan);
  if (plan.applying && situation !== "ended") return <Applying plan={plan} />;
  const due = whatIsDue(plan);
  if (due) return <Due {...due} plan={plan} links={!plan.waitingPlan && children} />;
  if (situation === "changing" && plan.nextPlan) return <Changing plan={plan} to={plan.nextPlan} />;
  if (situation !== "paused") return null;
  return (
    <Notice tone="plain">
      <p className="font-semibold">Your payments are paused.</p>
      <p>
        {plan.pause?.until ? (
          <>
            They resume on <FormattedEnd instant={plan.pause.until} />. Until then nothing is charged.
          </>
        ) : (
          "Nothing is charged until they resume."
        )}
      </p>
    </Notice>
  );
}

const ASKED = {
  cancel: "your cancellation",
  resume: "that you keep your plan",
  change: "your change of plan",
  refund: "your refund request",
  withdraw: "your withdrawal",
} as const;

function Applying({ plan }: { plan: PlanOverview }) {
  return (
    <Notice tone="plain">
      <NoScriptRefresh seconds={15} />
      <p className="font-semibold">We’re applying this…</p>
      <p>
        {`We’ve saved ${ASKED[plan.applying ?? "change"]}, and our payment provider hasn’t confirmed it yet. You don’t need to do it again. `}
        <PageLink href="/dashboard">Check again</PageLink>
      </p>
    </Notice>
  );
}

function whatIsDue(plan: PlanOverview): { title: string; text: ReactNode } | null {
  const { name, accessUntil, waitingPlan } = plan;
  const isBank = plan.openPayment?.needsAuthentication;
  if (waitingPlan) {
    return {
      title: isBank ? "Your bank wants you to confirm the payment." : "Your card was declined.",
      text: `Nothing has changed yet: you have ${name}. ${waitingPlan.name} starts as soon as the difference is paid. If it isn’t within a day, the change is dropped.`,
    };
  }
  switch (situationOf(plan)) {
    case "unpaid":
      return {
        title: "We couldn’t charge your card.",
        text: `Pay the balance and ${name} comes right back.`,
      };
    case "incomplete":
      return {
        title: "Your first payment isn’t finished.",
        text: `${name} starts as soon as it is. Until then nothing is charged.`,
      };
    case "past_due":
      return {
        title: isBank
          ? "Your bank wants you to confirm your last payment."
          : "Your last payment didn’t go through.",
        text: (
          <>
            {accessUntil ? (
              <>
                You keep {name} until <FormattedEnd instant={accessUntil} />
                {isBank ? ". " : ", and we’ll try again before then. Pay now or change your card to keep it."}
              </>
            ) : isBank ? (
              `${name} is closed until you do. `
            ) : (
              `${name} is closed until it does. We’ll try again over the next few days, or you can pay now.`
            )}
            {isBank && "Confirm it now, or use another card, and your plan goes on."}
          </>
        ),
      };
    default:
      return null;
  }
}

function Due(props: { plan: PlanOverview; title: string; text: ReactNode; links: ReactNode }) {
  const { title, text, links } = props;
  const { openPayment } = props.plan;
  return (
    <Notice tone="bad">
      <div className="grid gap-3">
        <p className="font-semibold">{title}</p>
        <p>
          {openPayment?.declineReason && `${openPayment.declineReason} `}
          {text}
        </p>
        <div className="flex flex-wrap gap-4">
          {openPayment?.url && (
            <ButtonLink href={openPayment.url}>
              {`${openPayment.needsAuthentication ? "Confirm" : "Pay"} ${formatMoney(openPayment.amount, openPayment.currency)}`}
            </ButtonLink>
          )}
          <PortalButton to="card">Update card</PortalButton>
          {links}
        </div>
      </div>
    </Notice>
  );
}

function Changing({ plan, to }: { plan: PlanOverview; to: { name: string; price: Price } }) {
  return (
    <Notice tone="plain">
      <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-3">
        <p>
          {`Your plan changes to ${to.name}, ${chargedAmount(to.price)}${plan.plusTax}, with your next payment.`}
        </p>
        <Undo isQuiet pendingLabel="Undoing…">
          Undo the change
        </Undo>
      </div>
    </Notice>
  );
}

export function Undo(props: { isQuiet?: boolean; pendingLabel: string; children: ReactNode }) {
  return (
    <PostForm action="/dashboard">
      <input type="hidden" name="do" value="resume" />
      <SubmitButton {...props} />
    </PostForm>
  );
}

export function PortalButton({ to, children }: { to: "card" | "billing"; children: ReactNode }) {
  return (
    <PostForm action="/dashboard">
      <input type="hidden" name="do" value={to} />
      <SubmitButton isQuiet pendingLabel="Opening…">
        {children}
      </SubmitButton>
    </PostForm>
  );
}
