import { redirect } from "react-router";
import { readUser } from "../../auth/session.server.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { LabelledLine } from "../../ui/labelled-line.tsx";
import { PrivatePage } from "../../ui/private-page.tsx";
import type { Route } from "./+types/deleted.ts";

export async function loader(args: Route.LoaderArgs) {
  if (await readUser(args)) throw redirect("/account");
  return { isSure: !new URL(args.request.url).searchParams.has("unsure") };
}

export default function Deleted({ loaderData: { isSure } }: Route.ComponentProps) {
  if (!isSure) return <SignedOut />;
  return (
    <PrivatePage title="Your account is deleted">
      <LabelledLine text="ACCOUNT" label="Deleted" />
      <h1>Your account is deleted</h1>
      <p>
        You are signed out everywhere, and nothing more is charged. We send one last email that says so, in
        case it was not you.
      </p>
      <ButtonLink href="/">Back to the start</ButtonLink>
    </PrivatePage>
  );
}

/** After the form was sent without a session, most likely by pressing twice. */
function SignedOut() {
  return (
    <PrivatePage title="You are signed out">
      <LabelledLine text="ACCOUNT" label="Signed out" />
      <h1>You are signed out</h1>
      <p>
        If you deleted your account, it is gone, and an email that says so is on its way. If you did not,{" "}
        <a href="/login?return_to=%2Faccount">log in</a>, and you find it as it was.
      </p>
      <ButtonLink href="/">Back to the start</ButtonLink>
    </PrivatePage>
  );
}
