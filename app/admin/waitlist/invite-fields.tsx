import type { ReactNode } from "react";
import { PLAN_NAMES, TIERS } from "../../entitlements/tiers.ts";
import { ChoiceField, Field } from "../../ui/field.tsx";
import type { FormField } from "../../ui/route-form.ts";
import { MOST_INVITED } from "../../waitlist/limits.ts";
import { type CodeTerms, freeTime, lastDayOf } from "../../waitlist/rules.ts";
import { formatCount } from "../console-page.tsx";

/** In days. */
const DEFAULT_DAYS = 60;

/** A free month is what the site promises every member. */
export function inviteDefaults() {
  const lastDay = new Date(Date.now() + DEFAULT_DAYS * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  return { count: "50", tier: "premium", months: "1", last_day: lastDay } as const;
}

interface InviteFieldsProps {
  fields: {
    count: FormField;
    tier: FormField;
    months: FormField;
    last_day: FormField;
  };
}

export function InviteFields({ fields }: InviteFieldsProps) {
  return (
    <>
      <Field
        field={fields.count}
        label="How many people"
        hint={`Those who are first on the list, up to ${formatCount(MOST_INVITED)}`}
        input={{ inputMode: "numeric", autoComplete: "off" }}
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
    </>
  );
}

export function codeFacts(terms: CodeTerms): [name: string, value: ReactNode][] {
  const lastDay = lastDayOf(terms);
  return [
    ["Each code gives", `${freeTime(terms)} of ${PLAN_NAMES[terms.tier]}`],
    ["It can be applied", lastDay ? `once, until the end of ${lastDay} (UTC)` : "once, with no last day"],
  ];
}
