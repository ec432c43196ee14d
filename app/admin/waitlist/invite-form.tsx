import type { ReactNode } from "react";
import { PLAN_NAMES, TIERS } from "../../entitlements/tiers.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { ChoiceField, Field } from "../../ui/field.tsx";
import { type FormAnswer, useRouteForm } from "../../ui/route-form.ts";
import type { inviteForm } from "../../waitlist/invite.server.ts";
import { MOST_INVITED } from "../../waitlist/limits.ts";
import { type CodeTerms, freeTime, lastDayOf } from "../../waitlist/rules.ts";
import { formatCount } from "../console-page.tsx";
import { useTypedForm } from "../use-typed-form.ts";

/** In days. */
const DEFAULT_DAYS = 60;

/** A free month is what the site promises every member. */
export function inviteDefaults() {
  const lastDay = new Date(Date.now() + DEFAULT_DAYS * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  return {
    count: "",
    tier: "premium",
    months: "1",
    last_day: lastDay,
  } as const;
}

/** Leads to the preview, where it can be changed. @param props.answer what is wrong with what was sent to the preview */
export function InviteForm(props: {
  defaults: Record<string, string>;
  waiting: number;
  answer?: FormAnswer | undefined;
  hasPreview?: boolean;
}) {
  const { defaults, waiting, answer, hasPreview = false } = props;
  const { form, fields, formProps } = useRouteForm<typeof inviteForm>(answer, {
    id: "inviting",
    defaultValue: defaults,
  });
  const { typed, watched } = useTypedForm();
  const count = Number(typed?.get("count"));
  return (
    <form {...formProps} {...watched} method="get" action="/admin/waitlist/invite" className="console-form">
      {!form.valid && <ErrorSummary title="Nothing to preview yet" form={form} />}
      <Field
        field={fields.count}
        label="How many people"
        hint={`Those who are first on the list, up to ${formatCount(MOST_INVITED)}. ${waiting === 1 ? "1 is" : `${formatCount(waiting)} are`} waiting.`}
        input={{ inputMode: "numeric", autoComplete: "off", placeholder: "10" }}
      />
      <ChoiceField
        field={fields.tier}
        label="Plan"
        choices={TIERS.map((tier) => ({ value: tier, label: PLAN_NAMES[tier] }))}
      />
      <Field
        field={fields.months}
        label="Months"
        hint="How long each code gives the plan, from the day it is applied"
        input={{ inputMode: "numeric", autoComplete: "off" }}
      />
      <Field
        field={fields.last_day}
        label="Last day"
        hint="On which a code can be applied, in UTC. Empty: no end"
        input={{ type: "date", autoComplete: "off" }}
      />
      {count > 0 && <p className="font-semibold">{`${invitedOf(count, waiting)}.`}</p>}
      {!hasPreview && (
        <p className="text-quiet">
          Each gets an email with a code of their own. You see who they are first; nothing is sent yet.
        </p>
      )}
      <div>
        <SubmitButton isQuiet={hasPreview} pendingLabel="Looking…">
          {hasPreview ? "Preview again" : "Preview"}
        </SubmitButton>
      </div>
    </form>
  );
}

/** "12 of 25 waiting will be invited" */
export function invitedOf(count: number, waiting: number): string {
  return `${formatCount(Math.min(count, waiting))} of ${formatCount(waiting)} waiting will be invited`;
}

export function codeFacts(terms: CodeTerms): [name: string, value: ReactNode][] {
  const lastDay = lastDayOf(terms);
  return [
    ["Each code gives", `${freeTime(terms)} of ${PLAN_NAMES[terms.tier]}`],
    ["It can be applied", lastDay ? `once, until the end of ${lastDay} (UTC)` : "once, with no last day"],
  ];
}
