import { type ComponentProps, type ReactNode, useId } from "react";
import { SubmitButton } from "../ui/button.tsx";
import { PostForm } from "../ui/post-form.tsx";
import type { FormField } from "../ui/route-form.ts";

interface ActionButtonProps {
  fields: Record<string, string | number>;
  label: ReactNode;
  pendingLabel?: string;
}

export function ActionButton({ fields, label, pendingLabel = "One moment…" }: ActionButtonProps) {
  return (
    <PostForm action="?">
      <HiddenFields fields={fields} />
      <SubmitButton isQuiet pendingLabel={pendingLabel}>
        {label}
      </SubmitButton>
    </PostForm>
  );
}

/** Opens to show its effects. @param reason asks for the reason, for the audit log. @param isSafe whether it can be undone */
export function ConfirmedAction(
  props: ActionButtonProps & { title: string; reason?: string; isSafe?: boolean; children?: ReactNode },
) {
  const { title, fields, reason, label, pendingLabel = "One moment…", isSafe = false, children } = props;
  return (
    <details>
      <summary>{title}</summary>
      <PostForm action="?" className="console-form">
        {children}
        <HiddenFields fields={fields} />
        {reason && <PlainField {...REASON} label={reason} />}
        <SubmitButton isQuiet isDangerous={!isSafe} pendingLabel={pendingLabel}>
          {label}
        </SubmitButton>
      </PostForm>
    </details>
  );
}

/** The field of a reason for the audit log. */
export const REASON = {
  name: "reason",
  label: "Reason",
  hint: "Goes in the audit log. Leave out names.",
  required: true,
  maxLength: 500,
};

/** Ticked before what can’t be taken back. */
export function Sure({ label }: { label: string }) {
  return (
    <label className="choice">
      <input type="checkbox" name="sure" required autoComplete="off" />
      {label}
    </label>
  );
}

/** A field whose errors are said beside its form. */
export function PlainField(props: ComponentProps<"input"> & { label: string; hint?: string }) {
  const { label, hint, ...input } = props;
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="text-quiet">
          {hint}
        </p>
      )}
      <input
        id={id}
        className="field-input"
        autoComplete="off"
        aria-describedby={hint && `${id}-hint`}
        {...input}
      />
    </div>
  );
}

export function Checkbox({ field, label }: { field: FormField; label: string }) {
  return (
    <div className="grid gap-1.5">
      <label className="choice">
        <input type="checkbox" id={field.id} name={field.name} defaultChecked={field.initialValue === "on"} />
        {label}
      </label>
      {field.errors && (
        <p id={field.errorId} className="text-coral font-semibold">
          {field.errors.join(". ")}
        </p>
      )}
    </div>
  );
}

export function HiddenFields({ fields }: Pick<ActionButtonProps, "fields">) {
  return Object.entries(fields).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
}
