import type { FieldMetadata } from "@conform-to/react";
import type { ReactNode } from "react";
import { ErrorSummary, type SummarisedForm } from "../ui/error-summary.tsx";
import { Field } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { ADDRESS_TAKEN } from "./credentials.ts";

/**
 * The frame of signing in and signing up: why you are here, what went wrong, the form, and the other way in.
 *
 * @param failure the spec's message, which leads whatever the reason is
 */
export function CredentialsPage(props: {
  title: string;
  failure: string;
  reason?: string;
  /** Offered when the address belongs to an account. */
  otherWayIn?: ReactNode;
  form: SummarisedForm;
  children: ReactNode;
}) {
  const { title, failure, reason, form, children } = props;
  return (
    <div className="page py-10 md:py-16">
      <div className="grid gap-6 max-w-[27rem] mx-auto">
        <h1 className="text-[2.5rem]">{title}</h1>
        {reason && <Notice tone="plain">{reason}</Notice>}
        {form.errors && (
          <Notice tone="bad">
            <p className="font-semibold">{failure}</p>
            <p>
              {form.errors.join(" ")} {form.errors.includes(ADDRESS_TAKEN) && props.otherWayIn}
            </p>
          </Notice>
        )}
        {!form.errors && !form.valid && <ErrorSummary title={failure} form={form} />}
        {children}
      </div>
    </div>
  );
}

/** The address as password managers look for it. */
export function EmailField({ field }: { field: FieldMetadata<string> }) {
  return (
    <Field
      field={field}
      label="Email address"
      input={{ type: "email", autoComplete: "username", autoCapitalize: "none", spellCheck: false }}
    />
  );
}
