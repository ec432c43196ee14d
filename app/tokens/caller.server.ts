import { and, eq, sql } from "drizzle-orm";
import { createLocalJWKSet, errors, jwtVerify } from "jose";
import { ALGORITHM, publicKeys } from "../auth/keys.server.ts";
import { session, user } from "../auth/schema.ts";
import { type RouteArgs, readUser } from "../auth/session.server.ts";
import { SIGNED_IN_USER_COLUMNS, type SignedInUser } from "../auth/signed-in-user.server.ts";
import { type App, fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";

const BAD_TOKEN = failure(401, "This sign-in has ended. Log in again.");

/**
 * Who calls a JSON endpoint: whom the bearer token names, or else whose session the cookie is; `null`: somebody signed
 * out. Messaging and app-check tokens (spec §7) may come along and are not read.
 *
 * @param idToken a token that came in the body; it counts before one in the header
 *
 * Failures: 401 for a token that is not a live one of ours, even beside a good cookie: what a program says of
 * itself is not overruled by what a browser adds.
 */
export async function readCaller(
  args: RouteArgs,
  idToken?: string,
): Promise<{ ok: true; user: SignedInUser | null } | Failure> {
  const bearer = /^bearer(?: +(.*))?$/i.exec(args.request.headers.get("authorization") ?? "");
  if (idToken === undefined && !bearer) return { ok: true, user: await readUser(args) };
  const user = await findBearer(fromContext(args.context).app, idToken ?? bearer?.[1] ?? "");
  return user ? { ok: true, user } : BAD_TOKEN;
}

/** Whom a token of ours names, as long as the session it was made for is alive. */
async function findBearer(app: App, token: string): Promise<SignedInUser | null> {
  const claims = await verify(app, token);
  if (typeof claims?.sub !== "string" || typeof claims.sid !== "string") return null;
  const [found] = await app.db
    .select(SIGNED_IN_USER_COLUMNS)
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(
      and(eq(session.id, claims.sid), eq(session.userId, claims.sub), sql`${session.expiresAt} > now()`),
    );
  return found ?? null;
}

async function verify(app: App, token: string) {
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
