import { data, isRouteErrorResponse, redirect, redirectDocument } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { isForm, readForm } from "../http/form.server.ts";
import { loginPath, safePath } from "../http/safe-path.ts";
import { SubmitButton } from "../ui/button.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import type { Route } from "./+types/logout.ts";
import { OtherAccountNotice } from "./other-account-notice.tsx";
import { closeSession } from "./session.server.ts";

export const handle: RouteHandle = { hydrate: true, isSignedIn: true };

/** Redirects home (spec §2), or to the login page where the form gives a reason. */
export async function action(args: Route.ActionArgs) {
  const returnTo = await readReturnTo(args);
  try {
    await closeSession(args);
  } catch (error) {
    const { app, state } = fromContext(args.context);
    app.log.error({ error, id: state.id }, "Failed to sign out");
    throw data(null, { status: 503 });
  }
  return redirectDocument(returnTo ? loginPath(returnTo) : "/", 303);
}

async function readReturnTo({ request }: Route.ActionArgs): Promise<string> {
  if (!isForm(request.headers.get("content-type"))) return "";
  return safePath((await readForm(request)).get("return_to"), "");
}

/** A link does not sign out. */
export function loader() {
  return redirect("/");
}

export default function Logout() {
  return null;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 409) return <OtherAccountNotice {...error.data} />;
  return (
    <PrivatePage title="Failed to sign out">
      <div role="alert" className="grid gap-5">
        <h1>Failed to sign out</h1>
        <p>You’re still signed in on this device. Try again in a moment.</p>
      </div>
      <PostForm action="/logout">
        <SubmitButton pendingLabel="Signing out…">Sign Out</SubmitButton>
      </PostForm>
    </PrivatePage>
  );
}
