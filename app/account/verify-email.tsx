import { createContext, data, redirect, redirectDocument, useLocation } from "react-router";
import type { ProofAsked } from "../auth/account-proof.server.ts";
import { askForProof, proveAccount, SIGNED_OUT } from "../auth/account-proof.server.ts";
import { sendWithinLimits } from "../auth/mail-limit.server.ts";
import { type MailLink, readMailLink } from "../auth/mail-links.server.ts";
import { type RouteArgs, readUser } from "../auth/session.server.ts";
import { sendVerification, verifyEmail } from "../auth/verification.server.ts";
import { fromContext } from "../http/context.server.ts";
import type { Failure } from "../http/errors.ts";
import { readForm } from "../http/form.server.ts";
import { loginPath } from "../http/safe-path.ts";
import { readLinkToken } from "../http/secret-token.server.ts";
import { LIMITS } from "../limits/limits.ts";
import { ButtonLink, SubmitButton } from "../ui/button.tsx";
import { LabelledLine } from "../ui/labelled-line.tsx";
import { Notice } from "../ui/notice.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";
import { COULD_NOT_REACH, whenOffline } from "../ui/when-offline.ts";
import type { Route } from "./+types/verify-email.ts";
import { ConfirmForm } from "./confirm-form.tsx";
import { DeadLink } from "./dead-link.tsx";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => ({
  ...PRIVATE_HEADERS,
  ...Object.fromEntries(actionHeaders),
});

/** What there is to see: what a link would do, that it was done, that a mail is on the way or has to wait, or a dead link. */
interface View {
  state: "link" | "done" | "sent" | "wait" | "dead";
  email?: string;
  /** Of a link: what whoever opened it has to show first. */
  asked?: ProofAsked;
  isSignedIn?: boolean;
  /** Why what was asked for has not been done. */
  message?: string;
}

/** Whether this request has had its answer from the action, and the page is drawn around that. */
const answeredContext = createContext(false);

export async function loader(args: Route.LoaderArgs) {
  const { request, context } = args;
  const query = new URL(request.url).searchParams;
  if (query.has("done")) {
    const user = await readUser(args);
    if (user && !user.emailVerified) throw redirect("/account");
    return data<View>({ state: "done", isSignedIn: user !== null });
  }
  if (query.has("sent")) return data<View>({ state: "sent" });
  if (!query.has("token") && !context.get(answeredContext)) throw redirect("/account");
  const link = await readMailLink(fromContext(context).app.db, "verify_email", readLinkToken(request));
  return link && !link.isUsed ? showLink(args, link) : showUsedUp(args);
}

/** With a token: confirms the address it was sent to. Without: sends another mail to whoever is signed in. */
export async function action(args: Route.ActionArgs) {
  if (!new URL(args.request.url).searchParams.has("token")) return sendAgain(args);
  const { app } = fromContext(args.context);
  const password = (await readForm(args.request)).get("password");
  const token = readLinkToken(args.request);
  const link = await readMailLink(app.db, "verify_email", token);
  if (!link) return showUsedUp(args);
  const proved = await proveAccount(args, link.userId, password);
  if (!proved.ok) return link.isUsed ? showUsedUp(args) : showLink(args, link, proved);
  const outcome = await verifyEmail(app.db, token, proved.proof);
  if (outcome === "confirmed") return redirectDocument("/verify-email?done=1", 303);
  return outcome === "dead" ? showUsedUp(args) : showLink(args, link, SIGNED_OUT);
}

async function showLink(args: RouteArgs, { userId, email }: MailLink, refusal?: Failure) {
  const asked = await askForProof(args, userId);
  return data<View>({ state: "link", email, asked, message: refusal?.message }, refusal);
}

/** Pressed twice, a form without scripts is sent twice, and only the answer to the second is seen. */
async function showUsedUp(args: RouteArgs) {
  const user = await readUser(args);
  if (user?.emailVerified) throw redirectDocument("/verify-email?done=1", 303);
  return data<View>({ state: "dead" }, { status: 410 });
}

async function sendAgain(args: Route.ActionArgs) {
  const user = await readUser(args);
  if (!user) return redirect(loginPath("/account"), 303);
  const { id, email, emailVerified } = user;
  if (emailVerified) return redirect("/verify-email?done=1", 303);
  const { app, state } = fromContext(args.context);
  const refusal = await sendWithinLimits(app, LIMITS.mailByAddress, state.client, [email], () =>
    app.db.transaction((tx) => sendVerification(tx, app.config.site, { id, email })),
  );
  if (refusal) {
    args.context.set(answeredContext, true);
    return data<View>({ state: "wait", message: refusal.message }, refusal);
  }
  return redirect("/verify-email?sent=1", 303);
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return whenOffline<View>(serverAction, { state: "link", message: COULD_NOT_REACH });
}

export default function VerifyEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { state, message } = actionData ?? loaderData;
  if (state === "dead") return <DeadLink purpose="verify_email" />;
  if (state === "done") return <Done isSignedIn={loaderData.isSignedIn ?? false} />;
  if (state === "sent" || state === "wait") return <Sent wait={message} />;
  const { email = "", asked = "nothing" } = { ...loaderData, ...actionData };
  return <Confirm email={email} asked={asked} failure={message} />;
}

const INTRODUCTIONS: Record<ProofAsked, string> = {
  nothing: "Press the button if this address is yours.",
  password: "Enter your password to confirm that this address is yours.",
  login: "Log in to confirm that this address is yours.",
  "other login": "Log in to the account of this address to confirm it.",
};

function Confirm(props: { email: string; asked: ProofAsked; failure: string | undefined }) {
  const { email, asked, failure } = props;
  const { pathname, search } = useLocation();
  return (
    <PrivatePage title="Confirm your email address">
      <LabelledLine text={email.toUpperCase()} label="Yours?" />
      <h1>Confirm your email address</h1>
      <p>{INTRODUCTIONS[asked]} Opening this page has not changed anything yet.</p>
      <ConfirmForm
        asked={asked}
        loginPath={loginPath(pathname + search)}
        owner={email}
        failure={failure}
        label="Confirm my address"
        pendingLabel="Confirming…"
      />
      {asked !== "nothing" && <NotYou email={email} />}
    </PrivatePage>
  );
}

/** For the owner of an address with which somebody else has signed up. */
function NotYou({ email }: { email: string }) {
  const { hostedAppUrl } = useSite();
  return (
    <>
      <h2 className="pt-4">Not you who signed up?</h2>
      <p>
        Close this page, and the address stays unconfirmed. Or reset the password to take the account over:
        everyone else is signed out and cannot get back in.
      </p>
      {hostedAppUrl === null && (
        <form method="post" action="/forgot-password">
          <input type="hidden" name="email" value={email} />
          <SubmitButton isQuiet pendingLabel="Sending the link…">
            Reset the password
          </SubmitButton>
        </form>
      )}
    </>
  );
}

function Done({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <PrivatePage title="Your address is confirmed">
      <LabelledLine text="EMAIL ADDRESS" label="Yours" />
      <h1>Your address is confirmed</h1>
      <p>{isSignedIn ? "You are all set." : "You are all set. Log in to continue."}</p>
      <div>
        <ButtonLink href="/dashboard">{isSignedIn ? "Go to the dashboard" : "Log in"}</ButtonLink>
      </div>
    </PrivatePage>
  );
}

/** @param wait why the next mail has to wait, when it has */
function Sent({ wait }: { wait: string | undefined }) {
  const { supportEmail } = useSite();
  return (
    <PrivatePage title="Check your email">
      <LabelledLine text="EMAIL FROM US" label="Open me" />
      <h1>Check your email</h1>
      {wait ? (
        <Notice tone="bad">
          <p className="font-semibold">We have sent you several already</p>
          <p>{wait}. Any of the links works, also the first.</p>
        </Notice>
      ) : (
        <p>A new link is on its way to the address of your account. Open it and press its button.</p>
      )}
      <p>
        Nothing there? Give it a few minutes and look in the spam folder. If the address itself is wrong,{" "}
        <a href="/account/email">change it</a>; if nothing comes at all, write to{" "}
        <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
      </p>
      <div>
        <ButtonLink href="/dashboard" isQuiet>
          Back to the dashboard
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
