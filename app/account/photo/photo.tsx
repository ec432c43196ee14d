import { data, redirect } from "react-router";
import { AccountPage } from "../../auth/account-page.tsx";
import { deletePhoto, savePhoto } from "../../auth/photos.server.ts";
import { requireUser } from "../../auth/session.server.ts";
import { type App, fromContext } from "../../http/context.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { readForm } from "../../http/form.server.ts";
import { hasBrokenContext } from "../../http/submit-form.server.ts";
import { toFailure } from "../../http/unavailable.server.ts";
import type { Upload } from "../../http/uploads.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { FormAnswer } from "../../ui/route-form.ts";
import { OUR_FAULT } from "../../ui/what-failed.ts";
import { ACCOUNT_LIMITS } from "../limits.ts";
import type { Route } from "./+types/photo.ts";
import { encodePhoto } from "./encode-photo.server.ts";
import { PhotoForm } from "./photo-form.tsx";
import { PHOTO_FAILURE, PHOTO_MAX_MEGABYTES, PHOTO_TOO_LARGE } from "./photo-rules.ts";

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

/** Without a chosen file, browsers send an empty one. */
const NOTHING = failure(400, "Choose a photo first");

const REFUSALS: Record<Exclude<Upload, FormData>, Failure> = {
  "too large": failure(400, PHOTO_TOO_LARGE),
  "too many": {
    ...failure(503, "Too many photos are on their way. Try again in a moment"),
    headers: { "Retry-After": "5" },
  },
  unreadable: failure(400, "Your photo didn’t arrive in one piece. Try again"),
};

/** Failures: 400 no photo, or one that is too large or unreadable; 429 too often; 503 too many at a time. */
async function uploadPhoto(app: App, userId: string, upload: Upload): Promise<{ ok: true } | Failure> {
  if (!(upload instanceof FormData)) return REFUSALS[upload];
  const file = upload.get("picture");
  if (!(file instanceof File) || file.size === 0) return NOTHING;
  if (file.size > PHOTO_MAX_MEGABYTES * 1024 * 1024) return REFUSALS["too large"];
  return withLimit(app, ACCOUNT_LIMITS.photoByUser, userId, async () => {
    const encoded = await encodePhoto(file);
    if (encoded.ok) await savePhoto(app.db, userId, encoded.jpeg);
    return encoded;
  });
}

function refused({ message, status, headers, retryAfterSeconds }: Failure) {
  const answer: FormAnswer = { status: "error", error: { picture: [message] }, retryAfterSeconds };
  return data(answer, { status, headers });
}

/** Where a refused photo leads without scripts; otherwise the account page has the form. */
export default function PhotoPage({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <AccountPage title="Your photo">
      <p>
        Shown beside your name while you’re signed in. You can also{" "}
        <PageLink href="/account">use a photo from a link</PageLink>.
      </p>
      <PhotoForm {...loaderData} answer={actionData} />
    </AccountPage>
  );
}
