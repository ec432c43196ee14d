import { useFetcher } from "react-router";
import { PlanEnd } from "../../entitlements/subscription-facts.tsx";
import { SubmitButton } from "../../ui/button.tsx";
import { KeepButton } from "../../ui/dialog.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useTyped } from "../../ui/route-form.ts";
import { formatMoney } from "../plans.ts";
import type { PlanWithRefunds } from "./plan-overview.ts";
import { FailureNotice, type FormFailure } from "./plan-page.tsx";
import { endsAtOnce } from "./rules.ts";

interface NotCanceled extends FormFailure {
  typed?: { reason: string; comment: string };
  isTooLong?: boolean;
}

export interface CancelData {
  plan: PlanWithRefunds;
  /** Stripe's words for each reason, and ours. */
  reasons: [value: string, label: string][];
}

/** @param answer of the action, without scripts. @param close closes its dialog */
export function CancelForm(props: CancelData & { answer?: NotCanceled; close?: () => void }) {
  const { plan, reasons, close } = props;
  const fetcher = useFetcher<NotCanceled>();
  const answer = fetcher.data ?? props.answer;
  const before = useTyped();
  const typed = answer?.typed ?? before;
  return (
    <>
      <FailureNotice message={answer?.message} id="cancel-error" />
      {!close && <h2>What happens</h2>}
      <WhatHappens plan={plan} />
      <PostForm action="/subscription/cancel" fetcher={fetcher} className="grid gap-5 w-full max-w-[27rem]">
        <div className="grid gap-1.5">
          <label htmlFor="cancel-reason" className="font-semibold">
            Why are you leaving? (optional)
          </label>
          <select
            id="cancel-reason"
            name="reason"
            className="field-input"
            autoComplete="off"
            defaultValue={typed?.reason ?? ""}
          >
            <option value="">Select a reason</option>
            {reasons.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div className="grid gap-1.5">
          <label htmlFor="cancel-comment" className="font-semibold">
            Anything else? (optional)
          </label>
          <textarea
            id="cancel-comment"
            name="comment"
            className="field-input"
            rows={3}
            maxLength={COMMENT_MAX_LENGTH}
            autoComplete="off"
            defaultValue={typed?.comment ?? ""}
            aria-invalid={answer?.isTooLong || undefined}
            aria-describedby={answer?.isTooLong ? "cancel-error" : undefined}
          />
        </div>
        <div className="flex flex-wrap gap-4">
          <SubmitButton isDangerous pendingLabel="Canceling…">
            Cancel plan
          </SubmitButton>
          <KeepButton close={close} href="/dashboard">
            Keep my plan
          </KeepButton>
        </div>
      </PostForm>
    </>
  );
}

function WhatHappens({ plan }: { plan: PlanWithRefunds }) {
  const isAtOnce = endsAtOnce(plan.status);
  return (
    <>
      <ul className="list">
        {isAtOnce ? (
          <li>{`${plan.name} ends right away, and we won’t try to charge you again.`}</li>
        ) : (
          <li>
            You keep {plan.name} until{" "}
            <PlanEnd tier={plan.tier} instant={plan.trialEnd ?? plan.currentPeriodEnd} isExact />. Nothing
            more is charged.
          </li>
        )}
        {!isAtOnce && <li>Changed your mind? You can undo this on your dashboard until then.</li>}
        <li>Your account and everything you saved in it stay. You can subscribe again any time.</li>
        {plan.nextPlan && <li>{`Your change to ${plan.nextPlan.name} is dropped, too.`}</li>}
      </ul>
      {plan.refundable && (
        <p>
          Want your money back instead? You can have {formatMoney(plan.refundable.total, plan.price.currency)}{" "}
          back, and the plan ends right away. <PageLink href="/subscription/refund">Get a refund</PageLink>
        </p>
      )}
    </>
  );
}

/** In UTF-16 code units. */
export const COMMENT_MAX_LENGTH = 500;
