import { type ComponentProps, type ReactNode, use, useEffect, useState } from "react";
import { LabelledControl } from "../ui/field.tsx";
import { SentBy } from "../ui/post-form.tsx";
import type { FormField } from "../ui/route-form.ts";
import { useHydrated } from "../ui/use-hydrated.ts";

/** A labelled password field. */
export function PasswordField({
  autoComplete,
  ...labelled
}: {
  field: FormField;
  label: string;
  hint?: ReactNode;
  autoComplete: "current-password" | "new-password";
}) {
  return (
    <LabelledControl {...labelled}>
      {(control) => <PasswordInput {...control} required autoComplete={autoComplete} what={labelled.label} />}
    </LabelledControl>
  );
}

/**
 * A password's input, with a button that shows what was typed. Sending the form hides it again: browsers remember the text of
 * fields that show it.
 *
 * @param what it is labelled with
 */
export function PasswordInput({ what = "password", ...props }: ComponentProps<"input"> & { what?: string }) {
  const [isShown, setIsShown] = useState(false);
  const isSending = use(SentBy) !== null;
  const isHydrated = useHydrated();
  useEffect(() => {
    if (isSending) setIsShown(false);
  }, [isSending]);
  return (
    <div className="password">
      <input
        {...props}
        type={isShown ? "text" : "password"}
        autoCapitalize="none"
        spellCheck={false}
        className="field-input"
      />
      {isHydrated && (
        <button type="button" onClick={() => setIsShown(!isShown)}>
          {isShown ? "Hide " : "Show "}
          <span className="sr-only">{what.toLowerCase()}</span>
        </button>
      )}
    </div>
  );
}
