import { data, redirect } from "react-router";
import { z } from "zod";
import { requireUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useTyped } from "../../ui/route-form.ts";
import { formatMoney } from "../plans.ts";
import type { Route } from "./+types/cancel.ts";
import { askForPlan, readFields } from "./ask.server.ts";
import { COMMENT_MAX_LENGTH, FEEDBACK, isFeedback } from "./feedback.ts";
import { notDone } from "./plan-form.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import type { PlanOverview } from "./plan-overview.ts";
import { NotDoneNotice, PlanPage } from "./plan-page.tsx";
import { endsAtOnce, isOver } from "./states.ts";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

/** A form field as it came; the comment far longer than it may be, so that what was typed stays. */
const CANCEL_FIELDS = {
  reason: z.string().max(100).default(""),
  comment: z.string().max(20_000).default(""),
};

export async function loader(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  const plan = await readPlanOverview(app, user.id);
  if (!plan || isOver(plan.status) || plan.cancelAt) throw redirect("/dashboard");
  return { plan };
}

export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const fields = readFields(await readForm(args.request), CANCEL_FIELDS);
  if (!fields || (fields.reason !== "" && !isFeedback(fields.reason))) throw data(null, { status: 400 });
  const comment = fields.comment.replaceAll("\r\n", "\n").trim();
  if (comment.length > COMMENT_MAX_LENGTH) {
    const message = `Nothing was cancelled yet. Keep what you write to ${COMMENT_MAX_LENGTH} characters: there are ${comment.length}.`;
    return data({ message, typed: fields, isTooLong: true }, { status: 400 });
  }
  const { app } = fromContext(args.context);
  const wish = { kind: "cancel", reason: fields.reason || null, comment: comment || null } as const;
  const asked = await askForPlan(app, user.id, wish);
  if (asked.ok) return redirect("/dashboard", 303);
  const [answer, init] = notDone(asked);
  return data({ ...answer, typed: fields, isTooLong: false }, init);
}

export default function Cancel({ loaderData: { plan }, actionData }: Route.ComponentProps) {
  const before = useTyped();
  const typed = actionData?.typed ?? before;
  return (
    <PlanPage title={`Cancel ${plan.name}`}>
      <NotDoneNotice answer={actionData} id="cancel-error" />
      <WhatHappens plan={plan} />
      <PostForm className="grid gap-5 w-full max-w-[27rem]">
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
            <option value="">Choose one, or leave it</option>
            {Object.entries(FEEDBACK).map(([value, label]) => (
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
            aria-invalid={actionData?.isTooLong || undefined}
            aria-describedby={actionData?.isTooLong ? "cancel-error" : undefined}
          />
        </div>
        <div className="flex flex-wrap gap-4">
          <SubmitButton pendingLabel="Cancelling…">Cancel plan</SubmitButton>
          <ButtonLink href="/dashboard" isQuiet>
            Keep my plan
          </ButtonLink>
        </div>
      </PostForm>
    </PlanPage>
  );
}

function WhatHappens({ plan }: { plan: PlanOverview }) {
  const isAtOnce = endsAtOnce(plan.status);
  return (
    <>
      <h2>What happens</h2>
      <ul className="list">
        {isAtOnce ? (
          <li>{`${plan.name} ends right away, and we won’t try to charge you again.`}</li>
        ) : (
          <li>
            You keep {plan.name} until <FormattedEnd instant={plan.trialEnd ?? plan.currentPeriodEnd} />.
            Nothing more is charged.
          </li>
        )}
        <li>Your account and everything you saved in it stay. You can subscribe again any time.</li>
        {!isAtOnce && <li>Changed your mind? Until then, one press on your dashboard keeps the plan.</li>}
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
