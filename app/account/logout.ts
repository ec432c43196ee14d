import { redirect } from "react-router";
import { fromContext } from "../context.server.ts";
import type { Route } from "./+types/logout.ts";

/** Ends the session and returns to the start (spec §2); when that fails the dashboard says so. */
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
    return redirect("/dashboard?sign_out=failed", 303);
  }
  return redirect("/", 303);
}

/** A link cannot sign anybody out. */
export function loader() {
  return redirect("/");
}
