import { and, eq, sql } from "drizzle-orm";
import { fromContext } from "../http/context.server.ts";
import {
  checkPassword,
  findPasswordByEmail,
  findPasswordOf,
  type StoredPassword,
} from "./passwords.server.ts";
import { user } from "./schema.ts";
import { openSession, type RouteArgs, type SignedIn } from "./session.server.ts";
import { tryPassword } from "./tries.server.ts";

const WRONG = "Wrong email address or password.";

/** Signs in with address and password. Failures: those of `tryPassword`, after the same time whether there is such an account. */
export function signInWithPassword(
  args: RouteArgs,
  { email, password, timeZone }: { email: string; password: string; timeZone?: string | null },
) {
  const { app, state } = fromContext(args.context);
  return tryPassword(app, { client: state.client, email }, WRONG, async () => {
    const known = await checkPassword(app.db, await findPasswordByEmail(app.db, email), password);
    if (!known) return null;
    const opened = await openWithKnownPassword(args, known);
    // Not before the second factor.
    if (opened === "signed in" && timeZone)
      await app.db
        .update(user)
        .set({ timeZone })
        .where(and(eq(user.id, known.userId), sql`${user.timeZone} IS DISTINCT FROM ${timeZone}`));
    return opened;
  });
}

/** Signs in with a password that was shown or chosen just now. @returns `null`: the account has another by now, or is gone */
export function openWithKnownPassword(args: RouteArgs, known: StoredPassword): Promise<SignedIn | null> {
  const { app } = fromContext(args.context);
  return openSession(
    args,
    known.userId,
    async () => (await findPasswordOf(app.db, known.userId))?.hash === known.hash,
  );
}
