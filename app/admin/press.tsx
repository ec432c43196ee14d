import { type ReactNode, useId } from "react";
import { SubmitButton } from "../ui/button.tsx";
import { PostForm } from "../ui/post-form.tsx";

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
  const id = useId();
  return (
    <details>
      <summary>{title}</summary>
      <PostForm action="?" className="console-form">
        {children}
        <HiddenFields fields={fields} />
        {reason && (
          <div className="grid gap-1.5">
            <label htmlFor={id} className="font-semibold">
              {reason}
            </label>
            <input
              id={id}
              name="reason"
              className="field-input"
              required
              maxLength={500}
              autoComplete="off"
            />
          </div>
        )}
        <SubmitButton isQuiet isDangerous={!isSafe} pendingLabel={pendingLabel}>
          {label}
        </SubmitButton>
      </PostForm>
    </details>
  );
}

export function HiddenFields({ fields }: Pick<ActionButtonProps, "fields">) {
  return Object.entries(fields).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
}
