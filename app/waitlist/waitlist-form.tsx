import { ErrorSummary } from "../ui/error-summary.tsx";
import { Field } from "../ui/field.tsx";
import { WAITLIST_NEXT } from "../ui/offer.ts";
import { type FormAnswer, useRouteForm } from "../ui/route-form.ts";
import type { joinForm } from "./join.server.ts";

/**
 * Posts to /waitlist from any page, without scripts.
 * @param props.idPrefix keeps its ids unique on the page
 * @param props.isCompact one field; if it is rejected, /waitlist shows the whole form
 */
export function WaitlistForm(props: {
  idPrefix: string;
  isCompact?: boolean;
  referralCode?: string;
  result?: FormAnswer;
}) {
  const { form, fields, formProps } = useRouteForm<typeof joinForm>(props.result, {
    id: props.idPrefix,
    defaultValue: { ref: props.referralCode },
  });
  const hasMore = [fields.name, fields.uses_today].some((field) => field.initialValue || field.errors);
  const email = (
    <Field
      field={fields.email}
      label="Email address"
      input={{ type: "email", autoComplete: "email", autoCapitalize: "none", spellCheck: false }}
    />
  );
  const button = (
    <button type="submit" className="button">
      Join Waitlist
    </button>
  );
  if (props.isCompact) {
    return (
      <form {...formProps} action="/waitlist" className="grid gap-2 content-start max-w-[30rem] w-full">
        <div className="grid gap-x-3 gap-y-1.5 justify-items-start sm:grid-cols-[1fr_auto] sm:items-end">
          <div className="w-full">{email}</div>
          <div className="sm:pb-1.5">{button}</div>
        </div>
        <p className="text-quiet text-[0.9375rem]">{WAITLIST_NEXT}</p>
      </form>
    );
  }
  return (
    <form {...formProps} action="/waitlist" className="grid gap-4 content-start max-w-[27rem] w-full">
      {!form.valid && <ErrorSummary title="You are not on the list yet" form={form} />}
      {email}
      <details open={hasMore}>
        <summary className="min-h-11 content-center cursor-pointer">Tell us a little more (optional)</summary>
        <div className="grid gap-4 pt-2 pb-4">
          <Field field={fields.name} label="Name" input={{ autoComplete: "name" }} />
          <Field
            field={fields.uses_today}
            label="What do you use today?"
            hint="An app, a spreadsheet, a notebook, nothing at all"
            input={{ autoComplete: "off" }}
          />
        </div>
      </details>
      <input type="hidden" name={fields.ref.name} value={fields.ref.initialValue ?? ""} />
      <div>{button}</div>
      <p className="text-quiet">
        We email you a link to confirm your place. Every email has a link to leave the list.{" "}
        <a href="/privacy">What we keep</a>
      </p>
    </form>
  );
}
