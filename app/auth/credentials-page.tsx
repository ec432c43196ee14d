import type { ReactNode } from "react";
import { useActionData } from "react-router";
import { ErrorSummary, type SummarisedForm } from "../ui/error-summary.tsx";
import { Field } from "../ui/field.tsx";
import { Focused } from "../ui/focused.tsx";
import { Notice } from "../ui/notice.tsx";
import type { FormAnswer, FormField } from "../ui/route-form.ts";
import { useHydrated } from "../ui/use-hydrated.ts";
import { ADDRESS_TAKEN } from "./credentials.ts";
import type { EnabledProviders } from "./providers/enabled-providers.server.ts";

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
  addressTakenHelp?: ReactNode;
  rateLimitHelp?: ReactNode;
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
                {form.errors.join(" ")} {form.errors.includes(ADDRESS_TAKEN) && props.addressTakenHelp}
              </p>
              {(answer?.retryAfterSeconds ?? 0) > SHORT_WAIT && props.rateLimitHelp}
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
export function Divider({ offer, children }: { offer: EnabledProviders; children: string }) {
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
