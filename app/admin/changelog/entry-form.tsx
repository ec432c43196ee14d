import { FEATURE_NAMES, FEATURES } from "../../entitlements/tiers.ts";
import type { entryForm } from "../../news/changelog.server.ts";
import { EntryDay, paragraphsOf } from "../../news/entry.tsx";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { ChoiceField, Field, TextField } from "../../ui/field.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { type FormAnswer, useRouteForm } from "../../ui/route-form.ts";
import { useTypedForm } from "../use-typed-form.ts";

const CHOICES = FEATURES.map((value) => ({ value, label: FEATURE_NAMES[value] }));

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
  const { typed, watched } = useTypedForm();
  return (
    <PostForm {...formProps} {...watched} action="?" className="console-form">
      {!form.valid && <ErrorSummary title="The entry wasn’t saved" form={form} hiddenFields={["id"]} />}
      <Field field={fields.title} label="Title" input={{ autoComplete: "off", maxLength: 120 }} />
      <Field field={fields.day} label="Date" input={{ type: "date", autoComplete: "off" }} />
      <TextField
        field={fields.body}
        label="Text"
        hint="Plain text. A blank line starts a paragraph."
        rows={7}
      />
      <ChoiceField field={fields.feature} label="Feature" none="None in particular" choices={CHOICES} />
      <input type="hidden" name={fields.id.name} value={fields.id.initialValue ?? ""} />
      <SubmitButton pendingLabel="Saving…">{props.isNew ? "Publish now" : "Save"}</SubmitButton>
      {typed && <Preview typed={typed} />}
    </PostForm>
  );
}

/** As the public page shows it. */
function Preview({ typed }: { typed: FormData }) {
  const [title, day, body, feature] = ["title", "day", "body", "feature"].map((name) =>
    String(typed.get(name) ?? "").trim(),
  );
  if (!title || !day || !body) return null;
  return (
    <section aria-label="Preview" className="console-part">
      <p className="font-semibold">Preview</p>
      <h2 dir="auto">{title}</h2>
      <EntryDay day={day} feature={FEATURES.find((one) => one === feature) ?? null} />
      {paragraphsOf(body).map((text) => (
        <p key={text}>{text}</p>
      ))}
    </section>
  );
}
