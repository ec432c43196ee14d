import type { FieldMetadata } from "@conform-to/react";
import { getInputProps } from "@conform-to/react";
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";
import { LabelledControl } from "../ui/field.tsx";
import { useIsHydrated } from "../ui/is-hydrated.ts";

/** A labelled password field, whose password can be shown. */
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
      <PasswordInput key={key} what={labelled.label} {...inputProps} autoComplete={autoComplete} />
    </LabelledControl>
  );
}

/**
 * A password's input, with a button in it that shows what was typed. Without JavaScript there is no button. Sending the form
 * hides the password again: browsers remember the text of fields that show it.
 *
 * @param what the field's label, for the button's name
 */
export function PasswordInput({ what, ...props }: ComponentProps<"input"> & { what: string }) {
  const [isShown, setIsShown] = useState(false);
  const isHydrated = useIsHydrated();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const form = input.current?.form;
    const hide = () => setIsShown(false);
    form?.addEventListener("submit", hide);
    return () => form?.removeEventListener("submit", hide);
  }, []);
  return (
    <div className="password">
      <input
        {...props}
        ref={input}
        type={isShown ? "text" : "password"}
        autoCapitalize="none"
        spellCheck={false}
        className="field-input"
      />
      {isHydrated && (
        <button type="button" onClick={() => setIsShown(!isShown)}>
          {isShown ? "Hide" : "Show"} <span className="sr-only">{what.toLowerCase()}</span>
        </button>
      )}
    </div>
  );
}
