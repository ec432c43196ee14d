import { data, redirect, useLocation } from "react-router";
import type { ProofAsked } from "../../auth/account-proof.server.ts";
import { askForProof, proveAccount, SIGNED_OUT } from "../../auth/account-proof.server.ts";
import { changeEmail } from "../../auth/change-email.server.ts";
import { type MailLink, readMailLink } from "../../auth/mail-links.server.ts";
import type { RouteArgs } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import type { Failure } from "../../http/errors.ts";
import { readForm } from "../../http/form.server.ts";
import { loginPath } from "../../http/safe-path.ts";
import { readLinkToken } from "../../http/secret-token.server.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { LabelledLine } from "../../ui/labelled-line.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../../ui/private-page.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { ConfirmForm } from "../confirm-form.tsx";
import { DeadLink } from "../dead-link.tsx";
import type { Route } from "./+types/email-confirm.ts";

export const handle: RouteHandle = { hydrate: true };

export const headers: Route.HeadersFunction = ({ actionHeaders }) => ({
  ...PRIVATE_HEADERS,
  ...Object.fromEntries(actionHeaders),
});

/** What there is to see: what the link would do, that it was done, or why it was not. */
interface View {
  state: "link" | "done" | "taken" | "dead";
  email?: string;
  /** Of a link: what whoever opened it has to show first. */
  asked?: ProofAsked;
  /** Why what was asked for has not been done. */
  message?: string;
}

export async function loader(args: Route.LoaderArgs) {
  if (new URL(args.request.url).searchParams.has("done")) return data<View>({ state: "done" });
  const { app } = fromContext(args.context);
  const link = await readMailLink(app.db, "change_email", readLinkToken(args.request));
  return link && !link.isUsed ? showLink(args, link) : dead();
}

export async function action(args: Route.ActionArgs) {
  const { app } = fromContext(args.context);
  const password = (await readForm(args.request)).get("password");
  const token = readLinkToken(args.request);
  const link = await readMailLink(app.db, "change_email", token);
  if (!link) return dead();
  const proved = await proveAccount(args, link.userId, password);
  if (!proved.ok) return link.isUsed ? dead() : showLink(args, link, proved);
  switch (await changeEmail(app, token, proved.proof)) {
    case "changed":
      return redirect("/account/email/confirm?done=1", 303);
    case "taken":
      return data<View>({ state: "taken" }, { status: 409 });
    case "unproved":
      return showLink(args, link, SIGNED_OUT);
    case "dead":
      return dead();
  }
}

async function showLink(args: RouteArgs, { userId, email }: MailLink, refusal?: Failure) {
  const asked = await askForProof(args, userId);
  return data<View>({ state: "link", email, asked, message: refusal?.message }, refusal);
}

function dead() {
  return data<View>({ state: "dead" }, { status: 410 });
}

export default function ConfirmEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { state, email = "", asked = "nothing", message } = actionData ?? loaderData;
  const { pathname, search } = useLocation();
  if (state === "dead") return <DeadLink purpose="change_email" />;
  if (state === "taken") return <Taken />;
  if (state === "done") return <Done />;
  return (
    <PrivatePage title="Confirm your new email address">
      <LabelledLine text={email.toUpperCase()} label="Yours?" />
      <h1>Confirm your new email address</h1>
      <p>
        Use <strong className="[overflow-wrap:anywhere]">{email}</strong> for your account from now on?
        Opening this page has not changed anything yet.
      </p>
      <ConfirmForm
        asked={asked}
        loginPath={loginPath(pathname + search)}
        failure={message}
        label="Use this address"
        pendingLabel="Changing it…"
        reloadDocument
      />
      <p className="text-quiet">If you did not ask for this, close this page: nothing changes.</p>
    </PrivatePage>
  );
}

function Done() {
  return (
    <PrivatePage title="Your email address is changed">
      <LabelledLine text="EMAIL ADDRESS" label="Changed" />
      <h1>Your email address is changed</h1>
      <p>From now on you log in with the new address, and emails about your account go there.</p>
      <ButtonLink href="/account">To your account</ButtonLink>
    </PrivatePage>
  );
}

function Taken() {
  return (
    <PrivatePage title="This address has an account by now">
      <LabelledLine text="EMAIL ADDRESS" label="Taken" />
      <h1>This address has an account by now</h1>
      <p>
        It was made after you asked, and your own account keeps the address it has. If the other one is yours
        too, delete it and open this link again.
      </p>
      <ButtonLink href="/account">To your account</ButtonLink>
    </PrivatePage>
  );
}
