import { and, eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { tryPassword } from "./password-tries.server.ts";
import { checkPassword, findPasswordOf } from "./passwords.server.ts";
import { session, user } from "./schema.ts";
import { hasSecondFactor } from "./second-factor/has-second-factor.server.ts";
import { type RouteArgs, readSession } from "./session.server.ts";

// A link in a mail proves who reads the mailbox, not whose account it is (decision 0032).

const MISSING = "Enter the account’s password.";
const WRONG = "Wrong password.";
/** The account has a second factor: its password alone proves nothing. */
const LOG_IN = "Log in to the account first, then open this link again.";

/** The session that proved it has ended since the page was sent. */
export const SIGNED_OUT = failure(401, "You’ve been signed out, so nothing was changed.");

/** Proof that an account belongs to the person with its link: a session of it, or the hash its password matched. */
export type AccountProof = { sessionId: string } | { passwordHash: string };

/**
 * What the page of a link asks for: nothing within the account's own session; its password; or, where it has none or a
 * second factor beside it, logging in, as another user than now where one is signed in.
 */
export type ProofAsked = "nothing" | "password" | "login" | "other login";

/** What this request still has to show before the link of an account works. */
export async function askForProof(args: RouteArgs, userId: string): Promise<ProofAsked> {
  const session = await readSession(args);
  if (session?.user.id === userId) return "nothing";
  const { app } = fromContext(args.context);
  if ((await findPasswordOf(app.db, userId)) && !(await hasSecondFactor(app.db, userId))) return "password";
  return session ? "other login" : "login";
}

/**
 * Whether the account is the sender's: they are signed in to it, or sent its password.
 *
 * Failures: 401 neither; 400 a wrong password; 429 too many tries, which count as tries to sign in.
 */
export async function proveAccount(
  args: RouteArgs,
  userId: string,
  password: unknown,
): Promise<{ ok: true; proof: AccountProof } | Failure> {
  const own = await readSession(args);
  if (own?.user.id === userId) return { ok: true, proof: { sessionId: own.id } };
  if (typeof password !== "string" || password === "") return failure(401, MISSING);
  const { app, state } = fromContext(args.context);
  const [owner] = await app.db.select({ email: user.email }).from(user).where(eq(user.id, userId));
  if (!owner || password.length > 1000) return failure(400, WRONG);
  if (await hasSecondFactor(app.db, userId)) return failure(401, LOG_IN);
  const tried = await tryPassword(app, { client: state.client, email: owner.email }, WRONG, async () =>
    checkPassword(app.db, await findPasswordOf(app.db, userId), password),
  );
  return tried.ok ? { ok: true, proof: { passwordHash: tried.found.hash } } : tried;
}

/** Whether a proof still holds. Ask with the user locked, as ending sessions and changing passwords do. */
export async function isStillProved(tx: Queryable, userId: string, proof: AccountProof): Promise<boolean> {
  if ("passwordHash" in proof) return (await findPasswordOf(tx, userId))?.hash === proof.passwordHash;
  const alive = await tx
    .select({ id: session.id })
    .from(session)
    .where(and(eq(session.id, proof.sessionId), eq(session.userId, userId)));
  return alive.length > 0;
}
