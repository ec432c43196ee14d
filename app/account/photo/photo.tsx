import { data, redirect } from "react-router";
import { AccountPage } from "../../auth/account-page.tsx";
import { deletePhoto } from "../../auth/photos.server.ts";
import { requireUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import type { Failure } from "../../http/errors.ts";
import { readForm } from "../../http/form.server.ts";
import { hasBrokenContext } from "../../http/submit-form.server.ts";
import { toFailure } from "../../http/unavailable.server.ts";
import { pageMeta } from "../../ui/page-meta.ts";
import type { FormAnswer } from "../../ui/route-form.ts";
import { OUR_FAULT } from "../../ui/what-failed.ts";
import type { Route } from "./+types/photo.ts";
import { PhotoForm } from "./photo-form.tsx";
import { PHOTO_FAILURE } from "./photo-rules.ts";
import { uploadPhoto } from "./upload-photo.server.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Your photo", "The photo shown with your account.");

export { sendForm as clientAction } from "../../ui/send-form.ts";

export async function loader(args: Route.LoaderArgs) {
  const { name, email, image, photoVersion } = await requireUser(args);
  return { person: { name, email, image, photoVersion } };
}

export async function action(args: Route.ActionArgs) {
  const { id } = await requireUser(args);
  const { app, state } = fromContext(args.context);
  if (state.upload === undefined) {
    if ((await readForm(args.request)).get("do") !== "remove") throw data(null, { status: 400 });
    await deletePhoto(app.db, id);
    return redirect("/account?changed=photo-removed", 303);
  }
  try {
    const uploaded = await uploadPhoto(app, id, state.upload);
    return uploaded.ok ? redirect("/account?changed=photo", 303) : refused(uploaded);
  } catch (error) {
    args.context.set(hasBrokenContext, true);
    return refused(toFailure({ app, state }, error, PHOTO_FAILURE, OUR_FAULT));
  }
}

function refused({ message, status, headers, retryAfterSeconds }: Failure) {
  const answer: FormAnswer = { status: "error", error: { picture: [message] }, retryAfterSeconds };
  return data(answer, { status, headers });
}

/** Where a refused photo leads without scripts; otherwise the account page has the form. */
export default function PhotoPage({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <AccountPage title="Your photo">
      <PhotoForm {...loaderData} answer={actionData} />
    </AccountPage>
  );
}
