import { fromContext } from "../../http/context.server.ts";
import { renewToken } from "../renew-token.server.ts";
import { type RouteArgs, readSession } from "../session.server.ts";
import { setSessionCookie } from "../session-cookie.server.ts";
import { completeSession, deleteSession, type Session } from "../sessions.server.ts";
import { clearPendingCookie } from "./pending-cookie.server.ts";
import { type Shown, showFactor } from "./show-factor.server.ts";

/**
 * Signs in somebody whose sign-in waits for a second factor, and ends the session the browser had before.
 *
 * Failures: those of `showFactor`.
 */
export async function finishSignIn(args: RouteArgs, pending: Session, shown: Shown) {
  const { app, state } = fromContext(args.context);
  const before = await readSession(args);
  const by = { client: state.client, sessionId: pending.id, user: pending.user };
  const done = await showFactor(app, by, shown, (tx) => completeSession(tx, pending.id));
  if (!done.ok) return done;
  if (before) await deleteSession(app.db, before);
  await clearPendingCookie(app.config, state);
  await setSessionCookie(app.config, state, done.found);
  state.session = undefined;
  return done;
}

/**
 * Notes that the user of an open session has shown their second factor again.
 *
 * Failures: those of `showFactor`.
 */
export async function confirmFactor(args: RouteArgs, { id, user }: Session, shown: Shown) {
  const { app, state } = fromContext(args.context);
  const by = { client: state.client, sessionId: id, user };
  const done = await showFactor(app, by, shown, (tx) => renewToken(args, tx, id, "secondFactorAt"));
  if (done.ok) await done.found();
  return done;
}
