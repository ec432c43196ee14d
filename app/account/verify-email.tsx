import { createContext, data, Form, redirect, redirectDocument, useNavigation } from "react-router";
import { fromContext } from "../context.server.ts";
import { LIMITS } from "../http/limits.ts";
import { readLinkToken } from "../http/link-token.ts";
import { loginPath } from "../http/safe-path.ts";
import { useSite } from "../site.ts";
import { ButtonLink, SubmitButton } from "../ui/button.tsx";
import { LabelledLine } from "../ui/labelled-line.tsx";
import { Notice } from "../ui/notice.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import { COULD_NOT_REACH, whenOffline } from "../ui/when-offline.ts";
import type { Route } from "./+types/verify-email.ts";
import { DeadLink } from "./dead-link.tsx";
import { sendWithinLimits } from "./mail-limit.server.ts";
import { readMailLink } from "./mail-links.server.ts";
import { type RouteArgs, readUser } from "./session.server.ts";
import { sendVerification, verifyEmail } from "./verification.server.ts";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => ({
  ...PRIVATE_HEADERS,
  ...Object.fromEntries(actionHeaders),
});

/** What there is to see: what a link would do, that it was done, that a mail is on the way or has to wait, or a dead link. */
interface View {
  state: "link" | "done" | "sent" | "wait" | "dead";
  email?: string;
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
    return show("done");
  }
  if (query.has("sent")) return show("sent");
  if (!query.has("token") && !context.get(answeredContext)) throw redirect("/account");
  const link = await readMailLink(fromContext(context).app.db, "verify_email", readLinkToken(request));
  return link ? show("link", link.email) : showUsedUp(args);
}

/** With a token: confirms the address it was sent to. Without: sends another mail to whoever is signed in. */
export async function action(args: Route.ActionArgs) {
  const { app } = fromContext(args.context);
  if (!new URL(args.request.url).searchParams.has("token")) return sendAgain(args);
  if (await verifyEmail(app.db, readLinkToken(args.request)))
    return redirectDocument("/verify-email?done=1", 303);
  return showUsedUp(args);
}

/** Pressed twice, a form without scripts is sent twice, and only the answer to the second is seen. */
async function showUsedUp(args: RouteArgs) {
  const user = await readUser(args);
  if (user?.emailVerified) throw redirectDocument("/verify-email?done=1", 303);
  return show("dead");
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
  app.wakeWorkers();
  return redirect("/verify-email?sent=1", 303);
}

function show(state: View["state"], email?: string) {
  return data<View>({ state, email }, { status: state === "dead" ? 410 : 200 });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return whenOffline<View>(serverAction, { state: "link", message: COULD_NOT_REACH });
}

export default function VerifyEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { state, message } = actionData ?? loaderData;
  if (state === "dead") return <DeadLink purpose="verify_email" />;
  if (state === "done") return <Done />;
  if (state === "sent" || state === "wait") return <Sent wait={message} />;
  return <Confirm email={loaderData.email ?? ""} failure={message} />;
}

function Confirm({ email, failure }: { email: string; failure: string | undefined }) {
  const navigation = useNavigation();
  return (
    <PrivatePage title="Confirm your email address">
      <LabelledLine text={email.toUpperCase()} label="Yours?" />
      <h1>Confirm your email address</h1>
      <p>Press the button if this address is yours. Opening this page has not changed anything yet.</p>
      {failure && <Notice tone="bad">{failure}</Notice>}
      <Form method="post">
        <SubmitButton isPending={navigation.state !== "idle"} pendingLabel="Confirming…">
          Confirm my address
        </SubmitButton>
      </Form>
      <p className="text-quiet">
        If you have no account here, close this page: without you the address stays unconfirmed.
      </p>
    </PrivatePage>
  );
}

function Done() {
  return (
    <PrivatePage title="Your address is confirmed">
      <LabelledLine text="EMAIL ADDRESS" label="Yours" />
      <h1>Your address is confirmed</h1>
      <p>You can now connect other accounts on your account page.</p>
      <div>
        <ButtonLink href="/dashboard">Go to the dashboard</ButtonLink>
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
