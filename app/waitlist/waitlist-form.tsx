import { ErrorSummary } from "../ui/error-summary.tsx";
import { Field } from "../ui/field.tsx";
import { type FormAnswer, useRouteForm } from "../ui/route-form.ts";
import { joinForm } from "./join-form-schema.ts";

/**
 * The form of our own list. It posts to /waitlist from any page, without scripts.
 *
 * @param props.idPrefix keeps its ids unique on the page
 * @param props.referralCode of the link that led here
 * @param props.result the action's answer, when the form was rejected
 */
export function WaitlistForm(props: { idPrefix: string; referralCode?: string; result?: FormAnswer }) {
  const { form, fields, formProps } = useRouteForm(joinForm, props.result, {
    id: props.idPrefix,
    defaultValue: { ref: props.referralCode },
  });
  const hasMore = [fields.name, fields.uses_today].some((field) => field.initialValue || field.errors);
  return (
    <form {...formProps} action="/waitlist" className="grid gap-4 content-start max-w-[27rem] w-full">
      {!form.valid && <ErrorSummary title="You are not on the list yet" form={form} />}
      <Field
        field={fields.email}
        label="Email address"
        input={{ type: "email", autoComplete: "email", autoCapitalize: "none", spellCheck: false }}
      />
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
      <div>
        <button type="submit" className="button">
          Join Waitlist
        </button>
      </div>
      <p className="text-quiet">
        We send you an email with a button to confirm your place, then your link to share, and one more when
        it is your turn. It is free, and every email has a link to leave.
      </p>
    </form>
  );
}
