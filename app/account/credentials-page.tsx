import type { ReactNode } from "react";
import { useActionData } from "react-router";
import { ADDRESS_TAKEN } from "../auth/credentials.ts";
import type { EnabledProviders } from "../auth/providers/enabled-providers.server.ts";
import { ErrorSummary, type SummarisedForm } from "../ui/error-summary.tsx";
import { Field } from "../ui/field.tsx";
import { Focused } from "../ui/focused.tsx";
import { Notice } from "../ui/notice.tsx";
import type { FormAnswer, FormField } from "../ui/route-form.ts";
import { useHydrated } from "../ui/use-hydrated.ts";

/** In seconds. Waits this short come from the limit per client, which a new password does not lift. */
const SHORT_WAIT = 10;

/**
 * The frame of the signed-out form pages: why you are here, what went wrong, the form.
 *
 * @param failure the spec's message, shown before the reason
 */
export function CredentialsPage(props: {
  title: string;
  failure: string;
  reason?: string;
  /** Offered when the address belongs to an account. */
  otherWayIn?: ReactNode;
  /** Offered when the wait is longer than SHORT_WAIT. */
  wayPastWaiting?: ReactNode;
  form: SummarisedForm;
  children: ReactNode;
}) {
  const { title, failure, reason, form, children } = props;
  const answer = useActionData<FormAnswer>();
  return (
    <div className="page py-10">
      <div className="credentials">
        <h1>{title}</h1>
        {reason && <Notice tone="plain">{reason}</Notice>}
        {form.errors && (
          <Focused>
            <Notice tone="bad">
              <p className="font-semibold">{failure}</p>
              <p>
                {form.errors.join(" ")} {form.errors.includes(ADDRESS_TAKEN) && props.otherWayIn}
              </p>
              {(answer?.retryAfterSeconds ?? 0) > SHORT_WAIT && props.wayPastWaiting}
            </Notice>
          </Focused>
        )}
        {!form.errors && !form.valid && <ErrorSummary title={failure} form={form} />}
        {children}
      </div>
    </div>
  );
}

/** Between the form and the buttons of the providers, where there are any. */
export function Or({ offer, children }: { offer: EnabledProviders; children: string }) {
  if (offer.providers.length === 0) return null;
  return <p className="text-quiet">{children}</p>;
}

/** The browser's zone, which only React knows there: without it the account has none, and days are in UTC. */
export function TimeZoneField({ field }: { field: Pick<FormField, "name"> }) {
  const isHydrated = useHydrated();
  const timeZone = isHydrated ? Intl.DateTimeFormat().resolvedOptions().timeZone : "";
  return <input type="hidden" name={field.name} value={timeZone} readOnly />;
}

/** The email field, marked as the user name for password managers. */
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
