import { type FieldMetadata, getInputProps, getSelectProps } from "@conform-to/react";
import { PLAN_NAMES, TIERS, type Tier } from "../../entitlements/tiers.ts";
import { Field, LabelledControl } from "../../ui/field.tsx";

interface TermsFieldsProps {
  fields: {
    tier: FieldMetadata<Tier | undefined>;
    months: FieldMetadata<string | undefined>;
    forever: FieldMetadata<boolean | undefined>;
    startsAt: FieldMetadata<string | undefined>;
    expiresAt: FieldMetadata<string | undefined>;
    maxUses: FieldMetadata<string | undefined>;
    confirmedOnly: FieldMetadata<boolean | undefined>;
    oncePerMailbox: FieldMetadata<boolean | undefined>;
  };
  usesHint: string;
  /** Whether somebody has redeemed it, so that what it gives stays as it is. */
  isGiftFixed?: boolean;
}

/** What a code gives, to whom and when. */
export function TermsFields({ fields, usesHint, isGiftFixed }: TermsFieldsProps) {
  return (
    <>
      {isGiftFixed ? <FixedGift fields={fields} /> : <GiftFields fields={fields} />}
      <Field
        field={fields.startsAt as FieldMetadata<string>}
        label="Starts (UTC)"
        hint="Empty: at once"
        input={{ type: "datetime-local" }}
      />
      <Field
        field={fields.expiresAt as FieldMetadata<string>}
        label="Ends (UTC)"
        hint="The first moment at which nobody can redeem it any more. Empty: no end"
        input={{ type: "datetime-local" }}
      />
      <Field
        field={fields.maxUses as FieldMetadata<string>}
        label="Uses"
        hint={usesHint}
        input={{ inputMode: "numeric", autoComplete: "off" }}
      />
      <Checkbox field={fields.confirmedOnly} label="Only for people who have confirmed their email address" />
      <Checkbox
        field={fields.oncePerMailbox}
        label="Once per mailbox"
        hint="Other spellings of an address (ada+x@, dots at Gmail) redeem it once together. It counts redemptions from when you turn it on"
      />
    </>
  );
}

function GiftFields({ fields }: Pick<TermsFieldsProps, "fields">) {
  const { key, ...selectProps } = getSelectProps(fields.tier);
  return (
    <>
      <LabelledControl field={fields.tier} label="Plan">
        <select key={key} className="field-input" autoComplete="off" {...selectProps}>
          <option value="">The user’s choice</option>
          {TIERS.map((tier) => (
            <option key={tier} value={tier}>
              {PLAN_NAMES[tier]}
            </option>
          ))}
        </select>
      </LabelledControl>
      <Field
        field={fields.months as FieldMetadata<string>}
        label="Months"
        hint="How long it gives the plan. Empty: 1 month"
        input={{ inputMode: "numeric", autoComplete: "off" }}
      />
      <Checkbox field={fields.forever} label="Forever, instead of a number of months" />
    </>
  );
}

/** Sent along unchanged, so that somebody's first redemption in the meantime is noticed. */
function FixedGift({ fields }: Pick<TermsFieldsProps, "fields">) {
  return (
    <>
      <input type="hidden" name={fields.tier.name} value={fields.tier.initialValue ?? ""} />
      <input type="hidden" name={fields.months.name} value={fields.months.initialValue ?? ""} />
      <input type="hidden" name={fields.forever.name} value={fields.forever.initialValue ?? ""} />
    </>
  );
}

interface CheckboxProps {
  field: FieldMetadata<boolean | undefined>;
  label: string;
  hint?: string;
}

function Checkbox({ field, label, hint }: CheckboxProps) {
  const { key, ...inputProps } = getInputProps(field, {
    type: "checkbox",
    ariaDescribedBy: hint ? field.descriptionId : undefined,
  });
  return (
    <div className="grid gap-1.5">
      <label className="choice">
        <input key={key} {...inputProps} />
        {label}
      </label>
      {hint && (
        <p id={field.descriptionId} className="text-quiet text-[0.9375rem]">
          {hint}
        </p>
      )}
      <div>
        {field.errors && (
          <p id={field.errorId} className="text-coral font-semibold">
            {field.errors.join(". ")}
          </p>
        )}
      </div>
    </div>
  );
}
