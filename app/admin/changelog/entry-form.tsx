import { FEATURE_NAMES } from "../../entitlements/tiers.ts";
import type { entryForm } from "../../news/changelog.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { ChoiceField, Field, TextField } from "../../ui/field.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { type FormAnswer, useRouteForm } from "../../ui/route-form.ts";

const FEATURES = Object.entries(FEATURE_NAMES).map(([value, label]) => ({ value, label }));

export function EntryForm(props: {
  entry: { id: string; day: string; title?: string; body?: string; feature?: string | null };
  answer: FormAnswer | undefined;
  isNew?: boolean;
}) {
  const { id, day, title = "", body = "", feature } = props.entry;
  const { form, fields, formProps } = useRouteForm<typeof entryForm>(props.answer, {
    id: "entry",
    defaultValue: { id, day, title, body, feature: feature ?? "" },
  });
  return (
    <PostForm {...formProps} action="?" className="console-form">
      {!form.valid && <ErrorSummary title="The entry wasn’t saved" form={form} hiddenFields={["id"]} />}
      <Field field={fields.title} label="Title" input={{ autoComplete: "off", maxLength: 120 }} />
      <Field field={fields.day} label="Date" input={{ type: "date", autoComplete: "off" }} />
      <TextField
        field={fields.body}
        label="Text"
        hint="Plain text. A blank line starts a paragraph"
        rows={7}
      />
      <ChoiceField field={fields.feature} label="Feature" none="None in particular" choices={FEATURES} />
      <input type="hidden" name={fields.id.name} value={fields.id.initialValue ?? ""} />
      <SubmitButton pendingLabel="Saving…">{props.isNew ? "Publish now" : "Save"}</SubmitButton>
    </PostForm>
  );
}
