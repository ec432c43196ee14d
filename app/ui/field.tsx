import type { FieldMetadata } from "@conform-to/react";
import { getInputProps, getSelectProps, getTextareaProps } from "@conform-to/react";
import type { ComponentProps, ReactNode } from "react";

interface LabelledFieldProps<Value> {
  field: FieldMetadata<Value>;
  label: string;
  hint?: ReactNode;
  /** For a form with one field and no error summary, whose error must be announced here. */
  announcesError?: boolean;
}

/** A labelled input with its hint and its error tied to it. */
export function Field({
  input,
  ...labelled
}: LabelledFieldProps<string> & {
  input: Pick<
    ComponentProps<"input">,
    "type" | "autoComplete" | "autoFocus" | "autoCapitalize" | "spellCheck" | "inputMode" | "maxLength"
  >;
}) {
  const { key, ...inputProps } = getInputProps(labelled.field, {
    type: (input.type ?? "text") as "text",
    ariaDescribedBy: labelled.hint ? labelled.field.descriptionId : undefined,
  });
  return (
    <LabelledControl {...labelled}>
      <input key={key} className="field-input" {...inputProps} {...input} />
    </LabelledControl>
  );
}

/** The same for text of several lines. */
export function TextField({ rows, ...labelled }: LabelledFieldProps<string> & { rows: number }) {
  const { key, ...textareaProps } = getTextareaProps(labelled.field, {
    ariaDescribedBy: labelled.hint ? labelled.field.descriptionId : undefined,
  });
  return (
    <LabelledControl {...labelled}>
      <textarea key={key} className="field-input" rows={rows} autoComplete="off" {...textareaProps} />
    </LabelledControl>
  );
}

/** The same for one of several choices, none of them preselected. */
export function ChoiceField<Value extends string>({
  choices,
  ...labelled
}: LabelledFieldProps<Value> & { choices: readonly { value: Value; label: string }[] }) {
  const { key, ...selectProps } = getSelectProps(labelled.field, {
    ariaDescribedBy: labelled.hint ? labelled.field.descriptionId : undefined,
  });
  return (
    <LabelledControl {...labelled}>
      <select key={key} className="field-input" autoComplete="off" {...selectProps}>
        <option value="">Choose one</option>
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </LabelledControl>
  );
}

/** The frame of a field: its label, hint and error around a control that names them. */
export function LabelledControl<Value>({
  field,
  label,
  hint,
  announcesError,
  children,
}: LabelledFieldProps<Value> & { children: ReactNode }) {
  return (
    <div className="grid gap-1.5">
      <label htmlFor={field.id} className="font-semibold">
        {label}
      </label>
      {hint && (
        <p id={field.descriptionId} className="text-quiet text-[0.9375rem]">
          {hint}
        </p>
      )}
      {children}
      <div aria-live={announcesError ? "polite" : undefined}>
        {field.errors && (
          <p id={field.errorId} className="text-coral font-semibold">
            {field.errors.join(". ")}
          </p>
        )}
      </div>
    </div>
  );
}
