import type { RouterContextProvider } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { isForm } from "../http/form.server.ts";
import { isJsonEndpoint, SAFE_METHODS } from "../http/origin-check.ts";
import { pageUrl } from "../http/page-url.ts";
import { SECRETS } from "../http/submit-form.server.ts";
import { ACCOUNT_FIELD, otherAccountSentence } from "../ui/account-mark.ts";
import { isMarkOfAnother, markAccount, readMark } from "./account-mark.server.ts";
import { isOperator, readSession, type SessionArgs } from "./session.server.ts";

/** Asks for the form's page with what was typed; the form does nothing. */
export const REOPEN_FIELD = "open_again";

/** A form of one account's page that was sent under another. */
interface OtherAccount {
  sentence: string;
  /** Who is signed in. */
  now: string;
  /** The address the page was for, if that is known. */
  named: string | undefined;
  /** What was typed, without secrets. */
  typed: [name: string, value: string][];
  /** Where the form was, for either of them. */
  pages: { now: string; named: string };
}

declare module "../http/context.server.ts" {
  interface RequestState {
    otherAccount?: OtherAccount;
    typed?: Record<string, string>;
  }
}

/**
 * Checks every form before its route runs: one that was rendered for another account than is signed in does nothing (decision
 * 0077). Signed out, its route redirects to the login page.
 *
 * @returns "other" for a form of another account's page, which is then in the request's state; "open again" for one that asks for
 *   its page with what was typed; otherwise `null`
 */
export async function judgeForm(
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<"other" | "open again" | null> {
  if (SAFE_METHODS.has(request.method) || isJsonEndpoint(request)) return null;
  if (!isForm(request.headers.get("content-type"))) return null;
  const form = new URLSearchParams(await request.clone().text());
  const marks = form.getAll(ACCOUNT_FIELD);
  const opensAgain = form.has(REOPEN_FIELD);
  if (marks.length === 0 && !opensAgain) return null;
  const { app, state } = fromContext(context);
  // Without the database, the route reports the failure.
  const session = await readSession({ request, context }).catch(() => null);
  if (!session) return opensAgain ? "open again" : null;
  const { user } = session;
  const wrong = marks.find((mark) => isMarkOfAnother(app, mark, user));
  const typed = [...form].filter(([name]) => ![ACCOUNT_FIELD, REOPEN_FIELD, ...SECRETS].includes(name));
  if (wrong === undefined) {
    if (!opensAgain) return null;
    state.typed = Object.fromEntries(typed);
    return "open again";
  }
  const named = readMark(app.config.authSecret, wrong)?.email;
  const page = app.safePath(pathOfForm(request, app.config.publicOrigin), "/dashboard");
  const isHidden = /^\/admin(?![^/?])/.test(page) && !isOperator(app, user);
  state.otherAccount = {
    ...{ sentence: otherAccountSentence(user.email, named), now: user.email, named, typed },
    pages: { now: isHidden ? "/dashboard" : page, named: page },
  };
  return "other";
}

/** The page a form is on: it may lead to another address. */
function pathOfForm(request: Request, publicOrigin: string): string {
  const page = URL.parse(request.headers.get("referer") ?? "");
  const { pathname, search } = page?.origin === publicOrigin ? page : pageUrl(request);
  return pathname + search;
}

/**
 * The mark of the account whose page a request is answered with; `undefined` for nobody's.
 *
 * @param isSignedInPage whether to look who is signed in should nobody have done so: public pages never ask
 */
export async function markOfRequest(
  asker: SessionArgs,
  isSignedInPage: boolean,
): Promise<string | undefined> {
  const { app, state } = fromContext(asker.context);
  const session = await (isSignedInPage ? readSession(asker) : state.session)?.catch(() => null);
  return session ? markAccount(app.config.authSecret, session.user) : undefined;
}
