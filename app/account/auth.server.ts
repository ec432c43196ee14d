import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { betterAuth } from "better-auth/minimal";
import type { Config } from "../config.server.ts";
import type { Database } from "../db/client.server.ts";
import { account, session, user, verification } from "../db/schema.ts";
import type { Log } from "../log.server.ts";
import { PASSWORD_LENGTH } from "./credentials.ts";

const DAY_IN_SECONDS = 24 * 60 * 60;

export type Auth = ReturnType<typeof createAuth>;

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
}

/**
 * Better Auth, called from our own actions only: its HTTP endpoints are not mounted, because they hand the
 * session token to scripts. Origin and rate are checked before our actions run.
 */
export function createAuth(config: Config, db: Database, log: Log) {
  const isHttps = config.publicOrigin.startsWith("https:");
  return betterAuth({
    appName: config.site.product,
    baseURL: config.publicOrigin,
    secret: config.authSecret,
    telemetry: { enabled: false },
    database: drizzleAdapter(db, {
      provider: "pg",
      transaction: true,
      schema: { user, session, account, verification },
    }),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
      revokeSessionsOnPasswordReset: true,
    },
    session: {
      expiresIn: 30 * DAY_IN_SECONDS,
      updateAge: DAY_IN_SECONDS,
      cookieCache: { enabled: false },
    },
    advanced: {
      // Prefixes are ours to choose: __Host- binds the cookie to this exact host, which needs https.
      useSecureCookies: false,
      cookies: {
        session_token: { name: isHttps ? "__Host-session" : "session", attributes: { secure: isHttps } },
      },
    },
    logger: { level: "error", log: (_level, message) => log.error({ source: "better-auth" }, message) },
  });
}
