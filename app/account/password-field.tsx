import type { FieldMetadata } from "@conform-to/react";
import { getInputProps } from "@conform-to/react";
import type { ComponentProps, ReactNode } from "react";
import { LabelledControl } from "../ui/field.tsx";

/** A labelled password field. */
export function PasswordField({
  autoComplete,
  ...labelled
}: {
  field: FieldMetadata<string> | FieldMetadata<string | undefined>;
  label: string;
  hint?: ReactNode;
  autoComplete: "current-password" | "new-password";
}) {
  const { key, ...inputProps } = getInputProps(labelled.field as FieldMetadata<string>, {
    type: "password",
    ariaDescribedBy: labelled.hint ? labelled.field.descriptionId : undefined,
  });
  return (
    <LabelledControl {...labelled}>
      <PasswordInput key={key} {...inputProps} autoComplete={autoComplete} />
    </LabelledControl>
  );
}

/** A password's input. A script puts a button in it that shows what was typed (`script/show-passwords.ts`). */
export function PasswordInput(props: ComponentProps<"input">) {
  return (
    <div className="password">
      <input {...props} type="password" autoCapitalize="none" spellCheck={false} className="field-input" />
    </div>
  );
}
