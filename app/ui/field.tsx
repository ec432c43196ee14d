import type { FieldMetadata } from "@conform-to/react";
import { getInputProps } from "@conform-to/react";
import type { ComponentProps, ReactNode } from "react";

/** A labelled input with its hint and its error tied to it. */
export function Field(props: {
  field: FieldMetadata<string>;
  label: string;
  hint?: ReactNode;
  /** For a form of one field, whose error nothing else on the page says aloud. */
  announcesError?: boolean;
  input: Pick<
    ComponentProps<"input">,
    "type" | "autoComplete" | "autoFocus" | "autoCapitalize" | "spellCheck" | "inputMode" | "maxLength"
  >;
}) {
  const { field, label, hint, announcesError, input } = props;
  const { key, ...inputProps } = getInputProps(field, {
    type: (input.type ?? "text") as "text",
    ariaDescribedBy: hint ? field.descriptionId : undefined,
  });
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
      <input key={key} className="field-input" {...inputProps} {...input} />
      <div aria-live={announcesError ? "polite" : undefined}>
        <FieldError field={field} />
      </div>
    </div>
  );
}

function FieldError({ field }: { field: FieldMetadata<unknown> }) {
  if (!field.errors) return null;
  return (
    <p id={field.errorId} className="text-coral font-semibold">
      {field.errors.join(". ")}
    </p>
  );
}
