import { type RouterContextProvider, redirect } from "react-router";
import { type App, fromContext, type RequestState } from "../context.server.ts";
import { loginPath } from "../http/safe-path.ts";
import type { SignedInUser } from "./auth.server.ts";

interface RouteArgs {
  request: Request;
  context: Readonly<RouterContextProvider>;
}

/** Who sent this request, or `null`. Asks the database once a request, and renews the cookie when it is due. */
export function readUser({ request, context }: RouteArgs): Promise<SignedInUser | null> {
  const { app, state } = fromContext(context);
  state.user ??= fetchUser(app, state, request);
  return state.user;
}

/** Who sent this request. @throws a redirect to /login that leads back here, for anyone signed out (spec §2) */
export async function requireUser(args: RouteArgs): Promise<SignedInUser> {
  const user = await readUser(args);
  if (user) return user;
  const { pathname, search } = new URL(args.request.url);
  throw redirect(loginPath(pathname + search));
}

/** Whether the address is on the operator's list (spec §6). Good for a redirect only: nobody has verified the address. */
export function isOnAdminList(app: App, user: SignedInUser): boolean {
  return user.email.toLowerCase() === app.config.adminEmail;
}

async function fetchUser(app: App, state: RequestState, request: Request): Promise<SignedInUser | null> {
  const { headers, response } = await app.auth.api.getSession({
    headers: request.headers,
    returnHeaders: true,
  });
  state.setCookies.push(...headers.getSetCookie());
  if (!response) return null;
  const { id, name, email, emailVerified } = response.user;
  return { id, name, email, emailVerified };
}
