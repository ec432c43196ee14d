import type { ReactNode } from "react";
import { PLAN_NAMES, TIERS } from "../../entitlements/tiers.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { ChoiceField, Field } from "../../ui/field.tsx";
import { type FormAnswer, useRouteForm } from "../../ui/route-form.ts";
import type { inviteForm } from "../../waitlist/invite.server.ts";
import { MOST_INVITED } from "../../waitlist/limits.ts";
import { type CodeTerms, freeTime, lastDayOf } from "../../waitlist/rules.ts";
import { capitalize } from "../capitalize.ts";
import { formatCount } from "../console-page.tsx";

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
  return (
    <form {...formProps} method="get" action="/admin/waitlist/invite" className="console-form">
      {!form.valid && <ErrorSummary title="Nothing to preview yet" form={form} />}
      <Field
        field={fields.count}
        label="How many people"
        hint={`From the front of the list, up to ${formatCount(MOST_INVITED)}. ${waiting === 1 ? "1 is" : `${formatCount(waiting)} are`} waiting.`}
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
        hint="How long each code gives the plan, from the day it’s used."
        input={{ inputMode: "numeric", autoComplete: "off" }}
      />
      <Field
        field={fields.last_day}
        label="Last day"
        hint="When a code can last be used, in UTC. Leave blank for no end."
        input={{ type: "date", autoComplete: "off" }}
      />
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

/** "A free month of CSV Only" */
export function giftOf(terms: Pick<CodeTerms, "durationMonths" | "tier">): string {
  return `${capitalize(freeTime(terms))} of ${PLAN_NAMES[terms.tier]}`;
}

export function codeFacts(terms: CodeTerms): [name: string, value: ReactNode][] {
  const lastDay = lastDayOf(terms);
  return [
    ["Each code gives", giftOf(terms)],
    ["Good for", lastDay ? `One use, until the end of ${lastDay} (UTC)` : "One use, with no end date"],
  ];
}
