import { useFetcher } from "react-router";
import { refundTerms, useFeatures } from "../../entitlements/features.ts";
import { PlanEnd } from "../../entitlements/subscription-facts.tsx";
import { SubmitButton } from "../../ui/button.tsx";
import { KeepButton } from "../../ui/dialog.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useSite } from "../../ui/site.ts";
import { formatMoney } from "../plans.ts";
import type { PlanWithRefunds } from "./plan-overview.ts";
import { BackToDashboard, FailureNotice, type FormFailure } from "./plan-page.tsx";

export interface RefundData {
  plan: PlanWithRefunds;
  isAsked: boolean;
  /** What is said when a person decides about the refund. */
  byHand: string | null;
}

interface RefundFormProps extends RefundData {
  answer?: FormFailure;
  close?: () => void;
}

export function RefundForm({ plan, isAsked, byHand, close, ...props }: RefundFormProps) {
  const site = useSite();
  const features = useFeatures();
  const fetcher = useFetcher<FormFailure>();
  const answer = fetcher.data ?? props.answer;
  const { name, refundable, price } = plan;
  if (!refundable) {
    return (
      <>
        <FailureNotice message={answer?.message} />
        <p>{`There is nothing to pay back for ${name} any more. ${refundTerms(plan.tier, features)}`}</p>
        <p>
          You can still <PageLink href="/subscription/cancel">cancel the plan</PageLink>: you keep it until{" "}
          <PlanEnd tier={plan.tier} instant={plan.currentPeriodEnd} />.
        </p>
        <BackToDashboard />
      </>
    );
  }
  const total = formatMoney(refundable.total, price.currency);
  const withdrawal = plan.withdrawUntil !== null && site.withdrawal && (
    <p>
      Your right to withdraw from the contract stays as it is:{" "}
      <PageLink href="/subscription/withdraw">withdraw here</PageLink> and everything is paid back right away.
    </p>
  );
  if (byHand && isAsked) {
    return (
      <>
        <p role="status">{byHand}</p>
        {withdrawal}
        <BackToDashboard />
      </>
    );
  }
  return (
    <>
      <FailureNotice message={answer?.message} />
      {byHand ? (
        <>
          <p>{byHand}</p>
          {withdrawal}
        </>
      ) : (
        <ul className="list">
          <li>{`You get ${total} back, the way you paid. Banks take up to ten days to show it.`}</li>
          <li>{`${name} ends right away, and nothing more is charged.`}</li>
          <li>Your account and everything you saved in it stay. You can subscribe again any time.</li>
          {refundable.until && (
            <li>
              You can have all of it back until <FormattedEnd instant={refundable.until} />.
            </li>
          )}
        </ul>
      )}
      <PostForm action="/subscription/refund" fetcher={fetcher} className="flex flex-wrap gap-4">
        <input type="hidden" name="total" value={refundable.total} />
        {byHand ? (
          <SubmitButton isDangerous pendingLabel="Sending…">{`Ask for ${total} back`}</SubmitButton>
        ) : (
          <SubmitButton isDangerous pendingLabel="Refunding…">
            {`Refund ${total} and end plan`}
          </SubmitButton>
        )}
        <KeepButton close={close} href="/dashboard">
          Keep my plan
        </KeepButton>
      </PostForm>
    </>
  );
}
