import { type ReactNode, type SubmitEvent, useState } from "react";
import { useFetcher } from "react-router";
import type { z } from "zod";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Field } from "../../ui/field.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { type FormAnswer, useRouteForm } from "../../ui/route-form.ts";
import { type Person, Photo } from "../signed-in-as.tsx";
import { PHOTO_FAILURE, PHOTO_MAX_MEGABYTES, PHOTO_TOO_LARGE, photoOf } from "./photo-rules.ts";

type PhotoFields = z.ZodObject<{ picture: z.ZodString }>;

const ACTION = "/account/photo";
const TOO_LARGE: FormAnswer = { status: "error", error: { picture: [PHOTO_TOO_LARGE] } };

export function PhotoForm(props: {
  person: Person & { photoVersion: string | null };
  answer?: FormAnswer | undefined;
  /** The other way to have a photo, beside which this is not the page's main form. */
  children?: ReactNode;
}) {
  const { photoVersion } = props.person;
  const fetcher = useFetcher<FormAnswer>();
  const [isTooLarge, setTooLarge] = useState(false);
  const answer = isTooLarge ? TOO_LARGE : (fetcher.data ?? props.answer);
  const { form, fields, formProps } = useRouteForm<PhotoFields>(answer, { id: "photo" });

  /** Saves sending what the server would refuse. */
  function judgeSize(event: SubmitEvent<HTMLFormElement>) {
    const file = new FormData(event.currentTarget).get(fields.picture.name);
    const isLarge = file instanceof File && file.size > PHOTO_MAX_MEGABYTES * 1024 * 1024;
    setTooLarge(isLarge);
    if (isLarge) event.preventDefault();
  }

  return (
    <div className="grid gap-5 w-full max-w-[27rem]">
      {!form.valid && <ErrorSummary title={PHOTO_FAILURE} form={form} />}
      <PostForm
        {...formProps}
        action={ACTION}
        encType="multipart/form-data"
        fetcher={fetcher}
        onSubmit={judgeSize}
        className="photo-form"
      >
        <Photo {...props.person} image={photoOf(props.person)} isLarge />
        <Field
          field={fields.picture}
          label="Upload a photo"
          hint={`JPEG, PNG, or WebP, up to ${PHOTO_MAX_MEGABYTES} MB. We crop it to a square and remove its location and time.`}
          input={{ type: "file", accept: "image/jpeg,image/png,image/webp" }}
        />
        <SubmitButton isQuiet={props.children !== undefined} pendingLabel="Uploading…">
          Upload
        </SubmitButton>
      </PostForm>
      {photoVersion && (
        <PostForm action={ACTION} fetcher={fetcher}>
          <input type="hidden" name="do" value="remove" />
          <SubmitButton isQuiet pendingLabel="Removing…">
            Remove the photo
          </SubmitButton>
        </PostForm>
      )}
      {props.children}
    </div>
  );
}
