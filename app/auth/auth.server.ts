import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { APIError, createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { betterAuth } from "better-auth/minimal";
import { z } from "zod";
import type { Config } from "../config/config.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { isDatabaseAway } from "../db/database-away.server.ts";
import type { Log } from "../log/log.server.ts";
import { signingKeys } from "./keys.server.ts";
import { account, jwks, session, user, verification } from "./schema.ts";

const MINUTE_IN_SECONDS = 60;
const DAY_IN_SECONDS = 24 * 60 * MINUTE_IN_SECONDS;

export type Auth = ReturnType<typeof createAuth>;

declare module "../http/context.server.ts" {
  interface App {
    auth: Auth;
  }
}

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  /** The address of their photo. */
  image: string | null;
}

/**
 * Better Auth keeps sessions, their cookie and the hashes of passwords, and is called from our own actions only: its
 * HTTP endpoints are not mounted, because they hand the session token to scripts. Who may get in, and into which
 * account, is decided by our own rules (decision 0021).
 */
export function createAuth(config: Config, db: Queryable, log: Log) {
  const isHttps = config.publicOrigin.startsWith("https:");
  return betterAuth({
    appName: config.site.product,
    baseURL: config.publicOrigin,
    secret: config.authSecret,
    telemetry: { enabled: false },
    database: keepDatabaseErrors(
      drizzleAdapter(db, {
        provider: "pg",
        transaction: true,
        schema: { user, session, account, verification, jwks },
      }),
    ),
    plugins: [sessionsOfOurOwn, signingKeys()],
    session: {
      expiresIn: 30 * DAY_IN_SECONDS,
      // Also how exactly the list of sessions knows when each was last seen.
      updateAge: 10 * MINUTE_IN_SECONDS,
      cookieCache: { enabled: false },
    },
    advanced: {
      // Read from headers anybody may send, and nobody needs it.
      ipAddress: { disableIpTracking: true },
      // Prefixes are ours to choose: __Host- binds the cookie to this exact host, which needs https.
      useSecureCookies: false,
      cookies: {
        session_token: { name: isHttps ? "__Host-session" : "session", attributes: { secure: isHttps } },
      },
    },
    logger: { level: "error", log: (_level, message) => log.error({ source: "better-auth" }, message) },
  });
}

/**
 * While the database is away: Better Auth replaces every error by one that says nothing, unless it is of its own kind.
 * So it gets one, with the database's as its cause.
 */
function keepDatabaseErrors<Make extends (options: never) => object>(makeAdapter: Make): Make {
  const make = (options: never) =>
    new Proxy(makeAdapter(options), {
      get(adapter, name) {
        const call: unknown = Reflect.get(adapter, name);
        if (typeof call !== "function") return call;
        return async (...args: unknown[]) => {
          try {
            return await Reflect.apply(call, adapter, args);
          } catch (cause) {
            throw isDatabaseAway(cause)
              ? Object.assign(new APIError("SERVICE_UNAVAILABLE"), { cause })
              : cause;
          }
        };
      },
    });
  return make as Make;
}

/** What Better Auth has no call for: a session for somebody whom our own rules let in. */
const sessionsOfOurOwn = {
  id: "sessions-of-our-own",
  endpoints: {
    openSession: createAuthEndpoint.serverOnly(
      { method: "POST", body: z.object({ userId: z.string() }) },
      async (endpoint) => {
        const { internalAdapter } = endpoint.context;
        const user = await internalAdapter.findUserById(endpoint.body.userId);
        if (!user) throw endpoint.error("NOT_FOUND");
        const session = await internalAdapter.createSession(user.id);
        await setSessionCookie(endpoint, { session, user });
        return { sessionId: session.id };
      },
    ),
  },
};
