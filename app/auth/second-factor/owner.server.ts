import { redirect } from "react-router";
import { fromContext } from "../../http/context.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { returnToOf } from "../credential-forms.server.ts";
import { AUTH_LIMITS } from "../limits.ts";
import { type RouteArgs, requireFreshSession } from "../session.server.ts";
import type { Session } from "../sessions.server.ts";

const PATH = "/account/second-factor";

/**
 * The session of somebody who may change their second factor: with a confirmed address, because a factor added by whoever
 * opened an account in somebody else's name would lock its owner out.
 *
 * @throws as `requireFreshSession`; a redirect to the first page, which says so, for an address that is not confirmed
 */
export async function requireOwner(args: RouteArgs): Promise<Session> {
  const session = await requireFreshSession(args);
  if (session.user.emailVerified) return session;
  throw redirect(pathTo(args, ""), 303);
}

/** A page of the second factor, with where its reader was going. @param said what was done, by a key of NOTICES */
export function pathTo(args: RouteArgs, page: "" | "/app" | "/passkey" | "/codes", said?: string): string {
  const query = new URLSearchParams();
  if (said) query.set("said", said);
  const returnTo = returnToOf(args, "");
  if (returnTo) query.set("return_to", returnTo);
  return query.size > 0 ? `${PATH}${page}?${query}` : PATH + page;
}

/** Changes a second factor, of which each change writes a mail. Failures: 429 too many. */
export function withChangeLimit<Done>(args: RouteArgs, { user }: Session, change: () => Promise<Done>) {
  const { app } = fromContext(args.context);
  return withLimit(app, AUTH_LIMITS.secondFactorChangesByUser, user.id, change);
}
