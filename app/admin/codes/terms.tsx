import type { ReactNode } from "react";
import { PLAN_NAMES, TIERS } from "../../entitlements/tiers.ts";
import type { termsInput } from "../../promo/promo-terms.server.ts";
import type { PromoTerms } from "../../promo/rules.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { ChoiceField, Field } from "../../ui/field.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import type { FormField, useRouteForm } from "../../ui/route-form.ts";
import { Beside, type MaybeFact, Moment } from "../console-page.tsx";
import { Checkbox, HiddenFields } from "../press.tsx";
import { useTypedForm } from "../use-typed-form.ts";
import { describeGift, describeTyped } from "./code-words.ts";

interface TermsFieldsProps {
  fields: Record<keyof typeof termsInput, FormField>;
  usesHint: string;
  /** How many uses are taken. After the first, what the code gives stays. */
  used?: number;
  note?: FormField | undefined;
}

interface TermsFormProps extends TermsFieldsProps {
  form: ReturnType<typeof useRouteForm>;
  /** The title of its errors. */
  failure: string;
  hidden: FormField;
  /** "SPRING", from what was typed. */
  subjectOf: (typed: FormData) => string;
  submit: { label: string; pendingLabel: string };
  children?: ReactNode;
}

/** Says what it will make, as far as it is typed. @param props.children the fields above the terms */
export function TermsForm(props: TermsFormProps) {
  const { form, failure, hidden, subjectOf, submit, children, ...terms } = props;
  const { typed, watched } = useTypedForm();
  const fixed = terms.used ? GIFT : [];
  const sentence = typed && describeTyped(subjectOf(typed), typed, terms.used);
  return (
    <Beside
      title="What it does"
      aside={
        <>
          {sentence && <p className="font-semibold">{sentence}</p>}
          <ul className="list">
            <li>They get the plan immediately, beside anything they pay for. The better one applies.</li>
            <li>You can pause it and change these terms later. Nobody who has redeemed it loses anything.</li>
          </ul>
        </>
      }
    >
      <PostForm {...form.formProps} {...watched} className="console-form">
        {!form.form.valid && (
          <ErrorSummary title={failure} form={form.form} hiddenFields={[hidden.name, ...fixed]} />
        )}
        {children}
        <HiddenFields fields={{ [hidden.name]: hidden.initialValue ?? "" }} />
        <TermsFields {...terms} />
        <SubmitButton pendingLabel={submit.pendingLabel}>{submit.label}</SubmitButton>
      </PostForm>
    </Beside>
  );
}

/** Sent as hidden fields once the code has been redeemed. */
const GIFT = ["tier", "months", "forever"] as const;

function TermsFields({ fields, usesHint, used, note }: TermsFieldsProps) {
  return (
    <>
      {used ? (
        // Sent unchanged, so that a first redemption in the meantime is noticed.
        <HiddenFields
          fields={Object.fromEntries(GIFT.map((name) => [name, fields[name].initialValue ?? ""]))}
        />
      ) : (
        <GiftFields fields={fields} />
      )}
      <Field
        field={fields.startsAt}
        label="Starts (UTC)"
        hint="Leave blank to start immediately."
        input={{ type: "datetime-local" }}
      />
      <Field
        field={fields.expiresAt}
        label="Ends (UTC)"
        hint="Leave blank for no end."
        input={{ type: "datetime-local" }}
      />
      <Field
        field={fields.maxUses}
        label="Uses"
        hint={usesHint}
        input={{ inputMode: "numeric", autoComplete: "off", placeholder: "No limit" }}
      />
      <Checkbox field={fields.confirmedOnly} label="Only with a confirmed email address" />
      <div className="grid gap-1.5">
        <Checkbox field={fields.oncePerMailbox} label="Once per mailbox" />
        <p className="text-quiet">Counts ada+x@ and Gmail dots as one address, from when it’s turned on.</p>
      </div>
      {note && (
        <Field field={note} label="Note" hint="Only operators see this." input={{ autoComplete: "off" }} />
      )}
    </>
  );
}

function GiftFields({ fields }: Pick<TermsFieldsProps, "fields">) {
  return (
    <>
      <ChoiceField
        field={fields.tier}
        label="Plan"
        none="The user’s choice"
        choices={TIERS.map((tier) => ({ value: tier, label: PLAN_NAMES[tier] }))}
      />
      <Field
        field={fields.months}
        label="Months"
        hint="Leave blank for 1 month."
        input={{ inputMode: "numeric", autoComplete: "off", placeholder: "1" }}
      />
      <Checkbox field={fields.forever} label="Forever, instead of months" />
    </>
  );
}

export function termsFacts(terms: PromoTerms): MaybeFact[] {
  const { startsAt, expiresAt, confirmedOnly, oncePerMailbox } = terms;
  return [
    ["Gives", describeGift(terms)],
    startsAt && ["Starts (UTC)", <Moment key="starts" instant={startsAt} />],
    ["Ends (UTC)", expiresAt ? <Moment key="ends" instant={expiresAt} /> : "Never"],
    ["For", confirmedOnly ? "Confirmed email addresses only" : "Everyone"],
    ["Once per mailbox", oncePerMailbox ? "Yes" : "No"],
  ];
}

/** Where its changes are listed, and when it was made. */
export function historyFacts(kind: "promo_code" | "promo_batch", id: string, createdAt: Date): MaybeFact[] {
  return [
    [
      "Changes",
      <PageLink key="changes" href={`/admin/log?${new URLSearchParams({ subject: `${kind}:${id}` })}`}>
        In the audit log
      </PageLink>,
    ],
    ["Created (UTC)", <Moment key="created" instant={createdAt} />],
  ];
}
