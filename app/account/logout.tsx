import { data, redirect } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import type { Route } from "./+types/logout.ts";

/** Whoever sees a page of this route could not be signed out. */
export const handle: RouteHandle = { hydrate: true, isSignedIn: true };

/** Ends the session and returns to the start (spec §2). @throws the answer that says it failed; nothing has changed then */
export async function action({ request, context }: Route.ActionArgs) {
  const { app, state } = fromContext(context);
  try {
    const { headers } = await app.auth.api.signOut({ headers: request.headers, returnHeaders: true });
    // Better Auth takes the cookie away even when the session could not be deleted, and says nothing.
    if (await app.auth.api.getSession({ headers: request.headers, query: { disableRefresh: true } })) {
      throw new Error("the session is still there");
    }
    state.setCookies.push(...headers.getSetCookie());
  } catch (error) {
    app.log.error({ error, id: state.id }, "Failed to sign out");
    throw data(null, { status: 503 });
  }
  return redirect("/", 303);
}

/** A link cannot sign anybody out. */
export function loader() {
  return redirect("/");
}

export default function Logout() {
  return null;
}

export function ErrorBoundary() {
  return (
    <PrivatePage title="Failed to sign out">
      <div role="alert" className="grid gap-5">
        <h1>Failed to sign out</h1>
        <p>You are still signed in on this device. Try again in a moment.</p>
      </div>
      <form method="post" action="/logout">
        <SubmitButton pendingLabel="Signing out…">Sign Out</SubmitButton>
      </form>
    </PrivatePage>
  );
}
