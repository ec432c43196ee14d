import { fromContext } from "../../http/context.server.ts";
import type { RouteArgs } from "../session.server.ts";
import { findPendingSession, type Session } from "../sessions.server.ts";
import { readPendingToken } from "./pending-cookie.server.ts";

/** The sign-in of this browser that waits for a second factor. Nobody is signed in by it. */
export async function readPending({ request, context }: RouteArgs): Promise<Session | null> {
  const { app } = fromContext(context);
  const token = await readPendingToken(app.config, request);
  return token === null ? null : findPendingSession(app.db, token);
}
