import type { ComponentProps } from "react";

/** A labelled input with its error tied to it, for forms that are judged on the server alone. */
export function LabelledInput(
  props: { name: string; label: string; error?: string } & Pick<
    ComponentProps<"input">,
    "type" | "autoComplete" | "defaultValue"
  >,
) {
  const { label, error, ...input } = props;
  const errorId = `${input.name}-error`;
  return (
    <div className="grid gap-1.5">
      <label htmlFor={input.name} className="font-semibold">
        {label}
      </label>
      <input
        {...input}
        id={input.name}
        className="field-input"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? errorId : undefined}
        // biome-ignore lint/a11y/noAutofocus: only after the form was sent, on the field that needs another answer
        autoFocus={error !== undefined}
      />
      {error && (
        <p id={errorId} className="text-coral font-semibold">
          {error}
        </p>
      )}
    </div>
  );
}
