import { redirect } from "react-router";
import { readUser } from "../auth/session.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { LabelledLine } from "../ui/labelled-line.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import type { Route } from "./+types/verify-email-done.ts";

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export async function loader(args: Route.LoaderArgs) {
  const user = await readUser(args);
  if (user && !user.emailVerified) throw redirect("/account");
  return { isSignedIn: user !== null };
}

export default function VerifyEmailDone({ loaderData: { isSignedIn } }: Route.ComponentProps) {
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
