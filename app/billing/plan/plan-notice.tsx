import type { ReactNode } from "react";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { NoScriptRefresh } from "../../ui/no-script-refresh.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { formatMoney, type Price } from "../plans.ts";
import { type PlanOverview, situationOf } from "./plan-overview.ts";

/** @param children beside the buttons of a payment that is due */
export function PlanNotice({ plan, children }: { plan: PlanOverview; children: ReactNode }) {
  if (plan.applying && situationOf(plan) !== "ended") return <Applying plan={plan} />;
  if (plan.waitingPlan) return <ChangeUnpaid plan={plan} waiting={plan.waitingPlan} />;
  switch (situationOf(plan)) {
    case "past_due":
      return <PastDue plan={plan}>{children}</PastDue>;
    case "unpaid":
      return (
        <Unpaid plan={plan} title="We couldn’t charge your card." links={children}>
          {`Pay the balance and ${plan.name} comes right back.`}
        </Unpaid>
      );
    case "incomplete":
      return (
        <Unpaid plan={plan} title="Your first payment isn’t finished." links={children}>
          {`${plan.name} starts as soon as it is. Until then nothing is charged.`}
        </Unpaid>
      );
    case "changing":
      return plan.nextPlan && <Changing plan={plan} to={plan.nextPlan} />;
    case "paused":
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
    default:
      return null;
  }
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

function PastDue({ plan, children }: { plan: PlanOverview; children: ReactNode }) {
  const { name, accessUntil } = plan;
  const isBank = plan.openPayment?.needsAuthentication;
  const title = isBank
    ? "Your bank wants you to confirm your last payment."
    : "Your last payment didn’t go through.";
  return (
    <Unpaid plan={plan} title={title} links={children}>
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
    </Unpaid>
  );
}

function ChangeUnpaid({ plan, waiting }: { plan: PlanOverview; waiting: { name: string; price: Price } }) {
  const isBank = plan.openPayment?.needsAuthentication;
  return (
    <Unpaid
      plan={plan}
      title={isBank ? "Your bank wants you to confirm the payment." : "Your card was declined."}
    >
      {`Nothing has changed yet: you have ${plan.name}. ${waiting.name} starts as soon as the difference is paid. If it isn’t within a day, the change is dropped.`}
    </Unpaid>
  );
}

function Unpaid(props: { plan: PlanOverview; title: string; links?: ReactNode; children: ReactNode }) {
  const { title, links, children } = props;
  const { openPayment } = props.plan;
  return (
    <Notice tone="bad">
      <div className="grid gap-3">
        <p className="font-semibold">{title}</p>
        <p>
          {openPayment?.declineReason && `${openPayment.declineReason} `}
          {children}
        </p>
        <div className="flex flex-wrap gap-4">
          {openPayment?.url && (
            <ButtonLink href={openPayment.url}>
              {openPayment.needsAuthentication
                ? `Confirm ${formatMoney(openPayment.amount, openPayment.currency)}`
                : `Pay ${formatMoney(openPayment.amount, openPayment.currency)}`}
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
          Your plan changes to {to.name}, {formatMoney(to.price.unitAmount, to.price.currency)} a{" "}
          {to.price.interval + plan.plusTax}, with your next payment.
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
