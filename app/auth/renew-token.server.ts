import { and, eq, inArray, sql } from "drizzle-orm";
import type { RouterContextProvider } from "react-router";
import type { Queryable } from "../db/client.server.ts";
import { type App, fromContext } from "../http/context.server.ts";
import { hashSecret, nextSecretToken } from "../http/secret-token.server.ts";
import { type AskingRequest, readSessionToken, setSessionCookie } from "./cookies.server.ts";
import { session } from "./schema.ts";

interface Asker {
  request: AskingRequest;
  context: Readonly<RouterContextProvider>;
}

/** What the user of a session has just shown. */
type Shown = "confirmedAt" | "secondFactorAt";

/**
 * Gives the session of a request a new token, because its user has shown who they are or changed how they do (OWASP ASVS
 * 7.2.4): a token that was copied before is worth nothing from then on.
 *
 * The new one follows from the old one and AUTH_SECRET: pressed twice, a form without scripts is sent twice and only the
 * second answer is seen, so both have to bring the same.
 *
 * @returns what puts the token on the answer, once all is written; `null` when the session has ended
 */
export async function renewToken(
  { request, context }: Asker,
  tx: Queryable,
  id: string,
  ...shown: Shown[]
): Promise<(() => Promise<void>) | null> {
  const { app, state } = fromContext(context);
  const token = await readSessionToken(app.config, request);
  if (token === null) return null;
  const next = nextSecretToken(app.config.authSecret, token);
  const renewed = await tx
    .update(session)
    .set({
      tokenHash: hashSecret(next),
      ...Object.fromEntries(shown.map((column) => [column, sql`now()`])),
    })
    .where(and(eq(session.id, id), inArray(session.tokenHash, [token, next].map(hashSecret))))
    .returning({ id: session.id });
  return renewed.length > 0 ? () => setSessionCookie(app.config, state, next) : null;
}

/** The same outside of a transaction. @returns whether the session goes on */
export async function renewTokenAlone(args: Asker, id: string, ...shown: Shown[]): Promise<boolean> {
  const { app } = fromContext(args.context);
  const setCookie = await renewToken(args, app.db, id, ...shown);
  await setCookie?.();
  return setCookie !== null;
}

/**
 * Whether a token has just been replaced by the next. A request that was under way with it, from another tab, finds nobody
 * signed in, but must not take away the cookie that its browser has been given meanwhile.
 */
export async function isReplaced(
  { config, db }: Pick<App, "config" | "db">,
  token: string,
): Promise<boolean> {
  const next = hashSecret(nextSecretToken(config.authSecret, token));
  const found = await db.select({ id: session.id }).from(session).where(eq(session.tokenHash, next));
  return found.length > 0;
}
