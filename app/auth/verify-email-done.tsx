import { redirect } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { loginPath } from "../http/safe-path.ts";
import { ButtonLink } from "../ui/button.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import { useRoot } from "../ui/site.ts";
import type { Route } from "./+types/verify-email-done.ts";
import { returnToOf } from "./person-fields.server.ts";
import { isOnAdminList, readUser } from "./session.server.ts";

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export async function loader(args: Route.LoaderArgs) {
  const user = await readUser(args);
  if (user && !user.emailVerified) throw redirect("/account");
  const { app } = fromContext(args.context);
  const requested = returnToOf(args, "/dashboard");
  // The plan page sends admins there (spec §6).
  const isNoPlan = user && isOnAdminList(app, user) && requested.startsWith("/subscription");
  return { isSignedIn: user !== null, returnTo: isNoPlan ? "/dashboard" : requested };
}

export default function VerifyEmailDone({ loaderData: { isSignedIn, returnTo } }: Route.ComponentProps) {
  const { isSelling } = useRoot();
  return (
    <PrivatePage title="Your email address is confirmed">
      <h1>Your email address is confirmed</h1>
      <p>{isSignedIn ? "You’re all set." : "You’re all set. Log in to continue."}</p>
      <ButtonLink href={isSignedIn ? returnTo : loginPath(returnTo)}>
        {isSignedIn ? nameOf(returnTo, isSelling) : "Log in"}
      </ButtonLink>
    </PrivatePage>
  );
}

function nameOf(path: string, isSelling: boolean): string {
  if (path.startsWith("/subscription?plan=")) return "Continue to your plan";
  if (path.startsWith("/subscription") && isSelling) return "Choose a plan";
  return path === "/dashboard" ? "Go to the dashboard" : "Continue";
}
