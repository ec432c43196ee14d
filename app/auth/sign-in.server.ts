import { fromContext } from "../http/context.server.ts";
import {
  BY_PASSWORD,
  checkPassword,
  findPasswordByEmail,
  findPasswordOf,
  type StoredPassword,
} from "./passwords.server.ts";
import { openSession, type RouteArgs, type SignedIn } from "./session.server.ts";
import { tryPassword } from "./tries.server.ts";
import { setTimeZone } from "./users.server.ts";

const WRONG = "Wrong email address or password.";

/** Failures: those of `tryPassword`, in the same time without such an account. */
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
    if (opened === "signed in" && timeZone) await setTimeZone(app.db, known.userId, timeZone);
    return opened;
  });
}

/** With a password that was just shown or chosen. @returns `null`: the account has another by now, or is gone */
export function openWithKnownPassword(args: RouteArgs, known: StoredPassword): Promise<SignedIn | null> {
  const { app } = fromContext(args.context);
  return openSession(
    args,
    known.userId,
    BY_PASSWORD,
    async () => (await findPasswordOf(app.db, known.userId))?.hash === known.hash,
  );
}
