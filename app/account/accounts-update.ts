import { z } from "zod";
import { personName, photoUrl } from "../auth/person-fields.server.ts";
import { callableError, handleApiErrors, readJson, wrongMethod } from "../http/callable.server.ts";
import { fromContext } from "../http/context.server.ts";
import { failure } from "../http/errors.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { readCaller } from "../tokens/caller.server.ts";
import type { Route } from "./+types/accounts-update.ts";
import { ACCOUNT_LIMITS } from "./limits.ts";
import { updateProfile } from "./update-profile.server.ts";

const changes = z.object({
  displayName: personName.optional(),
  photoUrl: z.preprocess((url) => (url === "" ? null : url), photoUrl.nullable().optional()),
  deleteAttribute: z
    .array(z.enum(["DISPLAY_NAME", "PHOTO_URL"], "Only DISPLAY_NAME and PHOTO_URL can be deleted"))
    .optional(),
});

/** As `accounts:update` of Identity Toolkit (spec §7). Failures: 400 malformed, or an address or password; 401; 429 too often. */
export function action({ request, context }: Route.ActionArgs) {
  const { app, state } = fromContext(context);
  return handleApiErrors({ app, state }, async () => {
    if (request.method !== "POST") return wrongMethod("POST");
    const body = await readJson(request);
    if (!body.ok) return callableError(body);
    const idToken = "idToken" in body.json ? body.json.idToken : undefined;
    if (idToken !== undefined && typeof idToken !== "string")
      return callableError(failure(400, "idToken: Send a text"));
    const caller = await readCaller({ request, context }, idToken);
    if (!caller.ok) return callableError(caller);
    if (!caller.user) return callableError(failure(401, "Log in first"));

    // A `localId` means that account, whichever cookie the browser sends.
    if ("localId" in body.json && body.json.localId !== caller.user.id)
      return callableError(failure(401, "localId: This is not the account you’re signed in to"));

    if ("email" in body.json || "password" in body.json) {
      const { publicOrigin } = app.config;
      return callableError(
        failure(400, `The email address and the password are changed at ${publicOrigin}/account`),
      );
    }
    const parsed = changes.safeParse(body.json);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return callableError(failure(400, `${issue?.path.join(".")}: ${issue?.message}`));
    }

    const { displayName, photoUrl, deleteAttribute = [] } = parsed.data;
    const { id } = caller.user;
    const user = await withLimit(app, ACCOUNT_LIMITS.profileByUser, id, () =>
      updateProfile(app.db, id, {
        name: deleteAttribute.includes("DISPLAY_NAME") ? "" : displayName,
        image: deleteAttribute.includes("PHOTO_URL") ? null : photoUrl,
      }),
    );
    if (!user) return callableError(failure(401, "Log in first"));
    if ("ok" in user) return callableError(user);
    return Response.json(
      {
        localId: user.id,
        email: user.email,
        ...(user.name && { displayName: user.name }),
        ...(user.image && { photoUrl: user.image }),
        emailVerified: user.emailVerified,
      },
      { headers: { "Cache-Control": "no-store" } },
    );
  });
}

export function loader() {
  return wrongMethod("POST");
}
