import type { ComponentProps, ReactNode } from "react";
import type { FormField } from "../ui/route-form.ts";

type Field = Omit<FormField, "errors"> & { errors?: string[] | undefined };

interface CategoryFieldsProps {
  number: number;
  name: Field;
  keywords: Field;
  /** Whether the hints are shown here, to which all refer. */
  hasHints: boolean;
  /** Whether it is there because its button was pressed. */
  isAdded?: boolean;
  onRemove?: (() => void) | undefined;
}

/** The two fields of a category. */
export function CategoryFields(props: CategoryFieldsProps) {
  const { number, name, keywords, hasHints, isAdded, onRemove } = props;
  return (
    <fieldset className="grid gap-4 justify-items-start min-w-0">
      <legend className="sr-only">{`Category ${number}`}</legend>
      <LabeledInput field={name} label="Category" hint={hasHints && "Whatever you call it at home."}>
        {(control) => (
          <input
            {...control}
            // biome-ignore lint/a11y/noAutofocus: it is there because its button was pressed
            autoFocus={isAdded}
          />
        )}
      </LabeledInput>
      <LabeledInput
        field={keywords}
        label="Keywords"
        hint={
          hasHints &&
          "Whole words, separated by commas: coffee, cafe. Capitals and accents don’t matter. If two match, the longer one wins."
        }
      >
        {(control) => <textarea {...control} rows={2} />}
      </LabeledInput>
      {onRemove && (
        <button type="button" className="button" data-quiet="" onClick={onRemove}>
          {`Remove category ${number}`}
        </button>
      )}
    </fieldset>
  );
}

type Control = Pick<
  ComponentProps<"input"> & ComponentProps<"textarea">,
  | "id"
  | "name"
  | "className"
  | "aria-describedby"
  | "aria-invalid"
  | "autoComplete"
  | "spellCheck"
  | "defaultValue"
>;

function LabeledInput(props: {
  field: Field;
  label: string;
  hint: string | false;
  children: (control: Control) => ReactNode;
}) {
  const { label, hint, children } = props;
  const { id, name, initialValue, errors, errorId, descriptionId } = props.field;
  return (
    <div className="grid gap-1.5 w-full">
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
        className: "field-input",
        "aria-describedby": errors ? `${errorId} ${descriptionId}` : descriptionId,
        "aria-invalid": errors && true,
        autoComplete: "off",
        spellCheck: false,
        defaultValue: initialValue,
      })}
      {errors && (
        <p id={errorId} className="text-coral font-semibold">
          {errors.join(". ")}
        </p>
      )}
    </div>
  );
}
