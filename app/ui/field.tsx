import { type ComponentProps, type ReactNode, useState } from "react";
import type { FormField } from "./route-form.ts";

interface LabelledFieldProps {
  field: FormField;
  label: string;
  hint?: ReactNode;
  /** For a form with one field and no error summary. */
  announcesError?: boolean;
}

export function Field({
  input,
  ...labelled
}: LabelledFieldProps & {
  input: Omit<ComponentProps<"input">, "id" | "name" | "className" | "defaultValue">;
}) {
  return (
    <LabelledControl {...labelled}>
      {({ onInput, ...control }) => (
        <input
          {...control}
          {...input}
          className="field-input"
          defaultValue={labelled.field.initialValue}
          onInput={(event) => {
            onInput();
            input.onInput?.(event);
          }}
        />
      )}
    </LabelledControl>
  );
}

export function TextField({ rows, ...labelled }: LabelledFieldProps & { rows: number }) {
  return (
    <LabelledControl {...labelled}>
      {(control) => (
        <textarea
          {...control}
          className="field-input"
          rows={rows}
          autoComplete="off"
          defaultValue={labelled.field.initialValue}
        />
      )}
    </LabelledControl>
  );
}

/** @param none the label of an empty choice; without it the first is preselected */
export function ChoiceField({
  choices,
  none,
  ...labelled
}: LabelledFieldProps & { none?: string; choices: readonly { value: string; label: string }[] }) {
  return (
    <LabelledControl {...labelled}>
      {(control) => (
        <select
          {...control}
          className="field-input"
          autoComplete="off"
          defaultValue={labelled.field.initialValue}
        >
          {none && <option value="">{none}</option>}
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </LabelledControl>
  );
}

interface Control {
  id: string;
  name: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
  onInput(): void;
}

/** The error is hidden when the control changes, until the new input is checked. */
export function LabelledControl({
  field: { id, name, errors: sent, errorId, descriptionId },
  label,
  hint,
  announcesError,
  children,
}: LabelledFieldProps & { children: (control: Control) => ReactNode }) {
  const [changed, setChanged] = useState<string[]>();
  const errors = sent === changed ? undefined : sent;
  const described = [errors && errorId, hint && descriptionId].filter(Boolean).join(" ");
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      {hint && (
        <p id={descriptionId} className="text-quiet text-[0.9375rem]">
          {hint}
        </p>
      )}
      {children({
        id,
        name,
        "aria-invalid": errors ? true : undefined,
        "aria-describedby": described || undefined,
        onInput: () => setChanged(sent),
      })}
      <div aria-live={announcesError ? "polite" : undefined}>
        {errors && (
          <p id={errorId} className="text-coral font-semibold">
            {errors.join(". ")}
          </p>
        )}
      </div>
    </div>
  );
}
