import { type ComponentProps, type ReactNode, use, useEffect, useState } from "react";
import { useActionData } from "react-router";
import { ErrorSummary, type SummarizedForm } from "../ui/error-summary.tsx";
import { Field, LabelledControl } from "../ui/field.tsx";
import { Focused } from "../ui/focused.tsx";
import { Notice } from "../ui/notice.tsx";
import { SubmitterContext } from "../ui/post-form.tsx";
import { PrivateHead } from "../ui/private-page.tsx";
import type { FormAnswer, FormField } from "../ui/route-form.ts";
import { useHydrated } from "../ui/use-hydrated.ts";
import { ADDRESS_TAKEN } from "./credentials.ts";
import type { EnabledProviders } from "./providers/connect.server.ts";

/** In seconds. Only the limit per client has waits this short, and a new password does not lift it. */
const SHORT_WAIT = 10;

/** @param failure the spec's message, shown before the reason */
export function CredentialsPage(props: {
  title: string;
  failure: string;
  reason?: string;
  addressTakenHelp?: ReactNode;
  rateLimitHelp?: ReactNode;
  form: SummarizedForm;
  children: ReactNode;
}) {
  const { title, failure, reason, form, children } = props;
  const answer = useActionData<FormAnswer>();
  return (
    <div className="page py-10 credentials">
      <PrivateHead title={title} />
      <h1>{title}</h1>
      {reason && <Notice tone="plain">{reason}</Notice>}
      {form.errors && (
        <Focused>
          <Notice tone="bad">
            <p className="font-semibold">{failure}</p>
            <p>
              {form.errors.join(" ")} {form.errors.includes(ADDRESS_TAKEN) && props.addressTakenHelp}
            </p>
            {(answer?.retryAfterSeconds ?? 0) > SHORT_WAIT && props.rateLimitHelp}
          </Notice>
        </Focused>
      )}
      {!form.errors && !form.valid && <ErrorSummary title={failure} form={form} />}
      {children}
    </div>
  );
}

export function Divider({ offer, children }: { offer: EnabledProviders; children: string }) {
  if (offer.providers.length === 0) return null;
  return <p className="text-quiet">{children}</p>;
}

/** The browser's zone, set by React. */
export function TimeZoneField({ field }: { field: Pick<FormField, "name"> }) {
  const isHydrated = useHydrated();
  const timeZone = isHydrated ? Intl.DateTimeFormat().resolvedOptions().timeZone : "";
  return <input type="hidden" name={field.name} value={timeZone} readOnly />;
}

export function EmailField({ field }: { field: FormField }) {
  return (
    <Field
      field={field}
      label="Email address"
      input={{
        type: "email",
        autoComplete: "username",
        autoCapitalize: "none",
        spellCheck: false,
        required: true,
      }}
    />
  );
}

/** Tells password managers whose password the next field is for. */
export function PasswordOwner({ email }: { email: string }) {
  return <input type="text" autoComplete="username" value={email} readOnly hidden />;
}

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

/** With a button that shows it. Sending hides it again: browsers remember the text of fields that show it. */
function PasswordInput({ what = "password", ...props }: ComponentProps<"input"> & { what?: string }) {
  const [isShown, setIsShown] = useState(false);
  const isSending = use(SubmitterContext) !== null;
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
