import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { RouterContextProvider } from "react-router";
import { type App, fromContext, type RequestState } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { isDataSubmission, isForm } from "../http/form.server.ts";
import { isJsonEndpoint, SAFE_METHODS } from "../http/origin-check.ts";
import { pageUrl } from "../http/page-url.ts";
import { safePath } from "../http/safe-path.ts";
import { SECRETS } from "../http/submit-form.server.ts";
import { ACCOUNT_FIELD, ACCOUNT_HEADER, otherAccountSentence } from "../ui/account-mark.ts";
import { BUILD_FIELD } from "../ui/build.ts";
import { keyFrom } from "./keys.server.ts";
import type { OtherAccountAnswer } from "./other-account-notice.tsx";
import { isOperator, readSession, type SessionArgs } from "./session.server.ts";

const PURPOSE = "marks of accounts";
const NONCE_PURPOSE = "nonces of marks of accounts";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** More than the longest address makes. */
const LONGEST_MARK = 1000;

interface MarkedAccount {
  id: string;
  /** When the page was rendered, so that a later address is not disclosed. */
  email: string;
}

/** The account's id and address, encrypted. The nonce is derived from the text, so that no two texts share one. */
export function markAccount(authSecret: string, { id, email }: MarkedAccount): string {
  const text = JSON.stringify([id, email]);
  const nonce = createHmac("sha256", keyFrom(authSecret, NONCE_PURPOSE)).update(text).digest();
  const iv = nonce.subarray(0, NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyFrom(authSecret, PURPOSE), iv);
  const sealed = Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString("base64url");
}

/** `null` unless one of these secrets made it. */
export function readMark(authSecrets: readonly string[], mark: string): MarkedAccount | null {
  if (mark.length > LONGEST_MARK) return null;
  const sealed = Buffer.from(mark, "base64url");
  if (sealed.length <= NONCE_BYTES + TAG_BYTES) return null;
  for (const authSecret of authSecrets) {
    const opened = openMark(authSecret, sealed);
    if (opened) return opened;
  }
  return null;
}

function openMark(authSecret: string, sealed: Buffer): MarkedAccount | null {
  try {
    const key = keyFrom(authSecret, PURPOSE);
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([
      decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]).toString();
    const [id, email]: [string, string] = JSON.parse(text);
    return { id, email };
  } catch {
    return null;
  }
}

/** A missing mark is allowed: programs send none. */
export function isMarkOfAnother({ config }: Pick<App, "config">, mark: unknown, user: { id: string }) {
  return typeof mark === "string" && readMark(config.authSecrets, mark)?.id !== user.id;
}

/** Scripts then send the plain form, which is answered with the reason. */
export function refuseOtherAccount(
  app: Pick<App, "config">,
  { headers }: Pick<Request, "headers">,
  user: MarkedAccount,
): Failure | null {
  const mark = headers.get(ACCOUNT_HEADER);
  const named = mark === null ? user : readMark(app.config.authSecrets, mark);
  return named?.id === user.id ? null : failure(401, otherAccountSentence(user.email, named?.email));
}

/** Reopens the form's page with the typed input; the form itself has no effect. */
export const REOPEN_FIELD = "open_again";

declare module "../http/context.server.ts" {
  interface RequestState {
    otherAccount?: Omit<OtherAccountAnswer, "reopen" | "mark">;
    typed?: Record<string, string>;
  }
}

/**
 * Checks every form before its route runs: one rendered for another account than the signed-in one has no effect (decision 0077).
 * @returns "other build": the page could not show the answer's data; "open again": the form requests its page with the typed input
 */
export async function judgeForm(
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<"other account" | "other build" | "open again" | null> {
  if (SAFE_METHODS.has(request.method) || isJsonEndpoint(request)) return null;
  const { app, state } = fromContext(context);
  const form = await fieldsOf(request, state);
  if (!form) return null;
  const build = form.get(BUILD_FIELD)?.split(" ", 1)[0];
  if (build && build !== state.build && isDataSubmission(request)) return "other build";
  const marks = form.getAll(ACCOUNT_FIELD);
  const opensAgain = form.has(REOPEN_FIELD);
  if (marks.length === 0 && !opensAgain) return null;
  // Without the database, the route reports the failure.
  const session = await readSession({ request, context }).catch(() => null);
  if (!session) return opensAgain ? "open again" : null;
  const { user } = session;
  const wrong = marks.find((mark) => isMarkOfAnother(app, mark, user));
  const typed = [...form].filter(
    ([name]) => ![ACCOUNT_FIELD, BUILD_FIELD, REOPEN_FIELD, ...SECRETS].includes(name),
  );
  if (wrong === undefined) {
    if (!opensAgain) return null;
    state.typed = Object.fromEntries(typed);
    return "open again";
  }
  const named = readMark(app.config.authSecrets, wrong)?.email;
  const page = safePath(pathOfForm(request, app.config.publicOrigin), "/dashboard");
  const isHidden = /^\/admin(?![^/?])/.test(page) && !isOperator(app, user);
  state.otherAccount = {
    sentence: otherAccountSentence(user.email, named),
    now: user.email,
    named,
    typed,
    pages: { now: isHidden ? "/dashboard" : page, named: page },
  };
  return "other account";
}

/** The texts of a form; `null`: it is none. */
async function fieldsOf(request: Request, { upload }: RequestState): Promise<URLSearchParams | null> {
  if (upload instanceof FormData)
    return new URLSearchParams(
      [...upload].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
  return isForm(request.headers.get("content-type"))
    ? new URLSearchParams(await request.clone().text())
    : null;
}

function pathOfForm(request: Request, publicOrigin: string): string {
  const page = URL.parse(request.headers.get("referer") ?? "");
  const { pathname, search } = page?.origin === publicOrigin ? page : pageUrl(request);
  return pathname + search;
}

/** For the page that answers a request. Public pages never look up the session. */
export async function markOfRequest(asker: SessionArgs, isSignedInPage: boolean) {
  const { app, state } = fromContext(asker.context);
  const session = await (isSignedInPage ? readSession(asker) : state.session)?.catch(() => null);
  return session ? markAccount(app.config.authSecret, session.user) : undefined;
}
