import { eq, sql } from "drizzle-orm";
import { data } from "react-router";
import type { Database, Queryable } from "../db/client.server.ts";
import { fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { readForm } from "../http/form.server.ts";
import { readLinkToken } from "../http/secret-token.server.ts";
import { MISSING_PASSWORD, WRONG_PASSWORD } from "./credentials.ts";
import { lockMailLink, markLinkUsed, readMailLink } from "./mail-links.server.ts";
import type { MailLinkPurpose } from "./messages.ts";
import { checkPassword, findPasswordOf } from "./passwords.server.ts";
import { user } from "./schema.ts";
import { hasSecondFactor } from "./second-factor/read-factors.server.ts";
import { type RouteArgs, readSession } from "./session.server.ts";
import { isSessionAlive } from "./sessions.server.ts";
import { tryPassword } from "./tries.server.ts";
import { findUser } from "./users.server.ts";

// A link proves who reads the mailbox, not whose account it is (decision 0032).

/** With a second factor, a password alone proves nothing. */
const LOG_IN = "Log in to the account first, then open this link again.";
const SIGNED_OUT = failure(401, "You’ve been signed out, so nothing was changed.");

/** A session of the account, or the hash its password matched. */
export type AccountProof = { sessionId: string } | { passwordHash: string };

/** What a link's page asks for: `login` without a password or with a second factor. */
export type RequiredProof = "nothing" | "password" | "login" | "other login";

async function askForProof(args: RouteArgs, userId: string): Promise<RequiredProof> {
  const session = await readSession(args);
  if (session?.user.id === userId) return "nothing";
  const { db } = fromContext(args.context).app;
  if ((await findPasswordOf(db, userId)) && !(await hasSecondFactor(db, userId))) return "password";
  return session ? "other login" : "login";
}

/** Failures: 401 neither signed in nor a password sent; 400 a wrong one; 429 too many tries. */
async function proveAccount(
  args: RouteArgs,
  userId: string,
  password: unknown,
): Promise<{ ok: true; proof: AccountProof } | Failure> {
  const own = await readSession(args);
  if (own?.user.id === userId) return { ok: true, proof: { sessionId: own.id } };
  if (typeof password !== "string" || password === "") return failure(401, MISSING_PASSWORD);
  const { app, state } = fromContext(args.context);
  const owner = await findUser(app.db, userId);
  if (!owner || password.length > 1000) return failure(400, WRONG_PASSWORD);
  if (await hasSecondFactor(app.db, userId)) return failure(401, LOG_IN);
  const tried = await tryPassword(
    app,
    { client: state.client, email: owner.email },
    WRONG_PASSWORD,
    async () => checkPassword(app.db, await findPasswordOf(app.db, userId), password),
  );
  return tried.ok ? { ok: true, proof: { passwordHash: tried.found.hash } } : tried;
}

/** Call with the user locked, as where sessions end and passwords change. */
export async function isStillProved(tx: Queryable, userId: string, proof: AccountProof): Promise<boolean> {
  if ("passwordHash" in proof) return (await findPasswordOf(tx, userId))?.hash === proof.passwordHash;
  return isSessionAlive(tx, { id: proof.sessionId, user: { id: userId } });
}

/** `null`: used, expired or unknown. */
export async function readConfirmation(args: RouteArgs, purpose: MailLinkPurpose) {
  const { db } = fromContext(args.context).app;
  const link = await readMailLink(db, purpose, readLinkToken(args.request));
  if (!link || link.isUsed) return null;
  return { email: link.email, requiredProof: await askForProof(args, link.userId) };
}

export interface NotConfirmed {
  requiredProof?: RequiredProof;
  message: string;
}

/** Uses a link after the proof. @returns what `use` returns, or the answer that shows the form again */
export async function confirmByLink<Outcome>(
  args: RouteArgs,
  purpose: MailLinkPurpose,
  use: (token: string | null, proof: AccountProof) => Promise<Outcome | "unproved" | "dead">,
) {
  const { db } = fromContext(args.context).app;
  const password = (await readForm(args.request)).get("password");
  const token = readLinkToken(args.request);
  const link = await readMailLink(db, purpose, token);
  if (!link) return "dead";
  const { userId } = link;
  const proved = await proveAccount(args, userId, password);
  if (!proved.ok) return link.isUsed ? "dead" : askAgain(proved);
  const outcome = await use(token, proved.proof);
  return outcome === "unproved" ? askAgain(SIGNED_OUT) : outcome;

  /** The user may have been signed out since the page was opened. */
  async function askAgain(failed: Failure) {
    const requiredProof = await askForProof(args, userId);
    return data<NotConfirmed>({ requiredProof, message: failed.message }, failed);
  }
}

/** @returns where to redirect, also when used again within minutes; `dead`: used, or of another address */
export async function verifyEmail(
  db: Database,
  token: string | null,
  proof: AccountProof,
): Promise<{ confirmed: true; returnTo: string | null } | "unproved" | "dead"> {
  return db.transaction(async (tx) => {
    const found = await lockMailLink(tx, "verify_email", token);
    if (!found || found.link.email !== found.owner.email) return "dead";
    const { link, owner } = found;
    if (!(await isStillProved(tx, owner.id, proof))) return "unproved";
    const confirmed = { confirmed: true, returnTo: link.returnTo ?? null } as const;
    if (link.isUsed) return confirmed;
    await markLinkUsed(tx, link, "its kind");
    await tx.update(user).set({ emailVerified: true, updatedAt: sql`now()` }).where(eq(user.id, owner.id));
    return confirmed;
  });
}
