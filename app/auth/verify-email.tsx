import { data, isRouteErrorResponse, redirect, redirectDocument, useLocation } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { loginPath, safePath } from "../http/safe-path.ts";
import { SubmitButton } from "../ui/button.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { PrivatePage, privateFormHeaders } from "../ui/private-page.tsx";
import { whyFailed } from "../ui/send-form.ts";
import { useSite } from "../ui/site.ts";
import type { Route } from "./+types/verify-email.ts";
import {
  confirmByLink,
  type NotConfirmed,
  type RequiredProof,
  readConfirmation,
  verifyEmail,
} from "./confirm-link.server.ts";
import { ConfirmForm, DeadLink } from "./link-page.tsx";
import { readUser } from "./session.server.ts";

const DONE = "/verify-email/done";

export const clientAction = ({ serverAction }: Route.ClientActionArgs) =>
  serverAction().catch((error: unknown) => data<NotConfirmed>({ message: whyFailed(error) }, 503));

export const headers = privateFormHeaders;

export async function loader(args: Route.LoaderArgs) {
  const query = new URL(args.request.url).searchParams;
  if (!query.has("token")) throw redirect("/account");
  return (await readConfirmation(args, "verify_email")) ?? throwUsedUp(args);
}

export async function action(args: Route.ActionArgs) {
  const { db } = fromContext(args.context).app;
  const outcome = await confirmByLink(args, "verify_email", (token, proof) => verifyEmail(db, token, proof));
  if (outcome === "dead") return throwUsedUp(args);
  if (!("confirmed" in outcome)) return outcome;
  const returnTo = safePath(outcome.returnTo, "/dashboard");
  const query = returnTo === "/dashboard" ? "" : `?${new URLSearchParams({ return_to: returnTo })}`;
  return redirectDocument(DONE + query, 303);
}

/** Without scripts a double click sends the form twice, and only the second answer is seen. */
async function throwUsedUp(args: Route.LoaderArgs | Route.ActionArgs): Promise<never> {
  const user = await readUser(args);
  throw user?.emailVerified ? redirectDocument(DONE, 303) : new Response(null, { status: 410 });
}

const INTRODUCTIONS: Record<RequiredProof, string> = {
  nothing: "Press the button to confirm",
  password: "Enter your password to confirm",
  login: "Log in to confirm",
  "other login": "Log in to its account to confirm",
};

export default function VerifyEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { email } = loaderData;
  const requiredProof = actionData?.requiredProof ?? loaderData.requiredProof;
  const { pathname, search } = useLocation();
  return (
    <PrivatePage title="Confirm your email address">
      <h1>Confirm your email address</h1>
      <ConfirmForm
        requiredProof={requiredProof}
        loginPath={loginPath(pathname + search)}
        owner={email}
        failure={actionData?.message}
        label="Confirm my email address"
        pendingLabel="Confirming…"
      >
        <p>
          {INTRODUCTIONS[requiredProof]} <strong className="[overflow-wrap:anywhere]">{email}</strong>.
        </p>
      </ConfirmForm>
      {requiredProof !== "nothing" && <NotYou email={email} />}
    </PrivatePage>
  );
}

function NotYou({ email }: { email: string }) {
  const { hostedAppUrl } = useSite();
  return (
    <>
      <h2 className="pt-4">Didn’t sign up?</h2>
      <p>
        Close this page and nothing happens. Or reset the password: that signs everyone else out and makes the
        account yours.
      </p>
      {hostedAppUrl === null && (
        <PostForm action="/forgot-password">
          <input type="hidden" name="email" value={email} />
          <SubmitButton isQuiet pendingLabel="Sending…">
            Reset the password
          </SubmitButton>
        </PostForm>
      )}
    </>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 410) return <DeadLink purpose="verify_email" />;
  throw error;
}
