import type { ComponentProps } from "react";
import { PostForm } from "./post-form.tsx";

/**
 * A form that posts to its own page. Where there are scripts they send it, and the page stays as it is but for the answer
 * (`ui/script/send-forms.ts`); without them the browser does, and loads the same answer as a document.
 *
 * @param sendTo where scripts send it instead, for an answer that is only the part of the page that it is in
 * @param failure what failed, when the network does
 * @param failureField the only field, to say it beside that
 */
export function SentForm({
  sendTo = "",
  failure,
  failureField,
  ...props
}: ComponentProps<"form"> & { sendTo?: string; failure?: string; failureField?: string }) {
  return <PostForm data-send={sendTo} data-failure={failure} data-failure-field={failureField} {...props} />;
}
