import { and, eq } from "drizzle-orm";
import { createLocalJWKSet, errors, jwtVerify } from "jose";
import { refuseOtherAccount } from "../auth/account-mark.server.ts";
import { ALGORITHM, publicKeys } from "../auth/keys.server.ts";
import { session, user } from "../auth/schema.ts";
import { type RouteArgs, readUser } from "../auth/session.server.ts";
import { isOpen } from "../auth/sessions.server.ts";
import { SIGNED_IN_USER_COLUMNS, type SignedInUser } from "../auth/users.server.ts";
import { type App, fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";

const BAD_TOKEN = failure(401, "This sign-in has ended. Log in again.");

/**
 * The user of the bearer token or, without one, of the session cookie; `null`: signed out. A messaging token (spec §7) is accepted and
 * ignored.
 * @param idToken a token from the body, which takes precedence over the header
 * Failures: 401 for an invalid token, even with a valid cookie: credentials that the program chose are not replaced by the browser's;
 * 401 for another account's page.
 */
export async function readCaller(
  args: RouteArgs,
  idToken?: string,
): Promise<{ ok: true; user: SignedInUser | null } | Failure> {
  const bearer = /^bearer(?: +(.*))?$/i.exec(args.request.headers.get("authorization") ?? "");
  const { app, state } = fromContext(args.context);
  if (idToken === undefined && !bearer) return judged(await readUser(args));
  const user = await findTokenUser(app, idToken ?? bearer?.[1] ?? "");
  if (user) state.notes.actor = user.id;
  return user ? judged(user) : BAD_TOKEN;

  function judged(user: SignedInUser | null): { ok: true; user: SignedInUser | null } | Failure {
    return (user && refuseOtherAccount(app, args.request, user)) ?? { ok: true, user };
  }
}

/** Its session must still be alive. */
async function findTokenUser(app: App, token: string): Promise<SignedInUser | null> {
  const claims = await verifyToken(app, token);
  if (typeof claims?.sub !== "string" || typeof claims.sid !== "string") return null;
  const [found] = await app.db
    .select(SIGNED_IN_USER_COLUMNS)
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(and(eq(session.id, claims.sid), eq(session.userId, claims.sub), isOpen));
  return found ?? null;
}

async function verifyToken(app: App, token: string) {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(await publicKeys(app)), {
      algorithms: [ALGORITHM],
      issuer: app.config.publicOrigin,
      audience: app.config.tokenAudience,
      requiredClaims: ["exp", "sub", "sid"],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
