import type { ReactNode } from "react";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { FormattedDue } from "../../ui/formatted-date.tsx";
import { NoScriptRefresh } from "../../ui/no-script-refresh.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { chargedAmount, formatMoney, type Price } from "../plans.ts";
import { isDue, type PlanOverview, situationOf } from "./plan-overview.ts";

interface PlanNoticeProps {
  plan: PlanOverview;
  /** Beside the buttons of a payment that is due. */
  children: ReactNode;
}

export function PlanNotice({ plan, children }: PlanNoticeProps) {
  const situation = situationOf(plan);
  if (plan.applyingNotice) return <Applying {...plan.applyingNotice}>{children}</Applying>;
  const due = isDue(plan) && whatIsDue(plan);
  if (due) return <Due {...due} plan={plan} links={!plan.waitingPlan && children} />;
  if (situation === "changing" && plan.nextPlan) return <Changing plan={plan} to={plan.nextPlan} />;
  if (situation !== "paused") return null;
  return (
    <Notice tone="plain">
      <p className="font-semibold">Your payments are paused.</p>
      <p>
        {plan.pause?.until ? (
          <>
            They resume on <FormattedDue instant={plan.pause.until} />. Until then nothing is charged.
          </>
        ) : (
          "Nothing is charged until they resume."
        )}
      </p>
    </Notice>
  );
}

function Applying({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Notice tone="plain">
      <NoScriptRefresh seconds={15} />
      <p className="font-semibold">{title}</p>
      <p>
        {text} <PageLink href="/dashboard">Check again</PageLink>
      </p>
      {children}
    </Notice>
  );
}

function whatIsDue(plan: PlanOverview): { title: string; text: ReactNode } | null {
  const { name, accessUntil, openPayment, waitingPlan } = plan;
  const isBank = openPayment?.needsAuthentication;
  if (openPayment && waitingPlan) {
    const difference = formatMoney(openPayment.amount, openPayment.currency);
    return {
      title: isBank ? "Your bank wants you to confirm the payment." : "Your card was declined.",
      text: `You still have ${name}. ${isBank ? "Confirm" : "Pay"} the ${difference} difference within a day and ${waitingPlan.name} starts right away. After that, the change is dropped.`,
    };
  }
  switch (situationOf(plan)) {
    case "unpaid":
      return {
        title: "We couldn’t charge your card.",
        text: `You can’t use ${name} until this is paid. Pay the balance and it comes right back.`,
      };
    case "incomplete":
      return {
        title: "Your first payment isn’t finished.",
        text: isBank
          ? `Your bank still needs your OK. ${name} starts when you confirm; nothing is charged until then.`
          : `${name} starts as soon as it is. Until then nothing is charged.`,
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
                You keep {name} until <FormattedDue instant={accessUntil} />
                {isBank ? ". " : ", and we’ll try again before then. Pay now or update your card to keep it."}
              </>
            ) : isBank ? (
              `${name} is closed until you do. `
            ) : (
              `${name} is closed until it does. We’ll try again over the next few days, or you can pay now.`
            )}
            {isBank && "Confirm it now, or use another card, and your plan continues."}
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
          {`${to.name === plan.name ? `${plan.name} switches to ${to.price.interval}ly billing` : `Your plan changes to ${to.name}`}, ${chargedAmount(to.price)}${plan.plusTax}, with your next payment.`}
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
