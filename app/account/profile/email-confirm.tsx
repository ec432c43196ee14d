import { data, redirect } from "react-router";
import { fromContext } from "../../context.server.ts";
import { readLinkToken } from "../../http/link-token.ts";
import type { RouteHandle } from "../../root.tsx";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { LabelledLine } from "../../ui/labelled-line.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../../ui/private-page.tsx";
import { DeadLink } from "../dead-link.tsx";
import { readMailLink } from "../mail-links.server.ts";
import type { Route } from "./+types/email-confirm.ts";
import { changeEmail } from "./change-email.server.ts";

export const handle: RouteHandle = { hydrate: true };

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

/** What there is to see: what the link would do, that it was done, or why it was not. */
type State = "link" | "done" | "taken" | "dead";

const STATUSES: Record<State, number> = { link: 200, done: 200, taken: 409, dead: 410 };

export async function loader({ request, context }: Route.LoaderArgs) {
  if (new URL(request.url).searchParams.has("done")) return show("done");
  const link = await readMailLink(fromContext(context).app.db, "change_email", readLinkToken(request));
  return link ? show("link", link.email) : show("dead");
}

export async function action({ request, context }: Route.ActionArgs) {
  const { app } = fromContext(context);
  const outcome = await changeEmail(app, readLinkToken(request));
  if (outcome !== "changed") return show(outcome);
  app.wakeWorkers();
  return redirect("/account/email/confirm?done=1", 303);
}

function show(state: State, email = "") {
  return data({ state, email }, { status: STATUSES[state] });
}

export default function ConfirmEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { state, email } = actionData ?? loaderData;
  if (state === "dead") return <DeadLink purpose="change_email" />;
  if (state === "taken") return <Taken />;
  if (state === "done") return <Done />;
  return (
    <PrivatePage title="Confirm your new email address">
      <LabelledLine text={email.toUpperCase()} label="Yours?" />
      <h1>Confirm your new email address</h1>
      <p>
        Press the button, and <strong className="[overflow-wrap:anywhere]">{email}</strong> is the address of
        your account. Opening this page has not changed anything yet.
      </p>
      <form method="post">
        <SubmitButton pendingLabel="Changing it…">Use this address</SubmitButton>
      </form>
      <p className="text-quiet">If you did not ask for this, close this page.</p>
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
