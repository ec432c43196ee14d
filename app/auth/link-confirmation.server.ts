import { data } from "react-router";
import { fromContext } from "../http/context.server.ts";
import type { Failure } from "../http/errors.ts";
import { readForm } from "../http/form.server.ts";
import { readLinkToken } from "../http/secret-token.server.ts";
import {
  type AccountProof,
  askForProof,
  type ProofAsked,
  proveAccount,
  SIGNED_OUT,
} from "./account-proof.server.ts";
import type { MailLinkPurpose } from "./link-messages.ts";
import { readMailLink } from "./mail-links.server.ts";
import type { RouteArgs } from "./session.server.ts";

/** What the page of a link that confirms an address shows; `null` when the link is used up, expired or unknown. */
export async function readConfirmation(
  args: RouteArgs,
  purpose: MailLinkPurpose,
): Promise<{ email: string; asked: ProofAsked } | null> {
  const { db } = fromContext(args.context).app;
  const link = await readMailLink(db, purpose, readLinkToken(args.request));
  if (!link || link.isUsed) return null;
  return { email: link.email, asked: await askForProof(args, link.userId) };
}

/** Why a link has not confirmed its address, and what to show to try again. */
export interface NotConfirmed {
  asked?: ProofAsked;
  message: string;
}

/**
 * Uses a link that confirms an address, once the sender has shown that the account is theirs.
 *
 * @param use is given the link's token and the proof
 * @returns what `use` returns; `dead` for a link that does nothing any more; or the answer that has the form shown again
 */
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
  const proved = await proveAccount(args, link.userId, password);
  if (!proved.ok) return link.isUsed ? "dead" : askAgain(args, link.userId, proved);
  const outcome = await use(token, proved.proof);
  return outcome === "unproved" ? askAgain(args, link.userId, SIGNED_OUT) : outcome;
}

/** The proof asked for is read anew: the sender may have been signed out since they opened the page. */
async function askAgain(args: RouteArgs, userId: string, failed: Failure) {
  const asked = await askForProof(args, userId);
  return data<NotConfirmed>({ asked, message: failed.message }, failed);
}
