import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Field } from "../../ui/field.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { type FormAnswer, useRouteForm } from "../../ui/route-form.ts";
import type { profileForm } from "./profile-form-schema.server.ts";

const FAILURE = "Your profile wasn’t saved";

/** The form with a person's name and photo. */
export function ProfileForm(props: {
  person: { name: string; image: string | null };
  answer: FormAnswer | undefined;
}) {
  const { form, fields, formProps } = useRouteForm<typeof profileForm>(props.answer, {
    id: "profile",
    defaultValue: { name: props.person.name, photo: props.person.image ?? "" },
  });
  return (
    <>
      {!form.valid && <ErrorSummary title={FAILURE} form={form} />}
      <PostForm {...formProps} className="grid gap-5 max-w-[27rem]">
        <Field field={fields.name} label="Name" input={{ autoComplete: "name", maxLength: 100 }} />
        <Field
          field={fields.photo}
          label="Photo"
          hint="Link to a photo (https://…). Leave empty to show your initial."
          input={{ type: "url", autoComplete: "photo", autoCapitalize: "none", spellCheck: false }}
        />
        <div>
          <SubmitButton pendingLabel="Saving…">Save</SubmitButton>
        </div>
      </PostForm>
    </>
  );
}
