import { redirect, redirectDocument } from "react-router";
import { z } from "zod";
import { choiceIn, subscriptionPath } from "../billing/choice.ts";
import { BILLING_MESSAGES } from "../billing/plans.ts";
import { requireLocalSignIn } from "../hosted-app/hosted-app.server.ts";
import { RedirectScreen } from "../hosted-app/redirect-screen.tsx";
import { fromContext } from "../http/context.server.ts";
import { safePath } from "../http/safe-path.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { PROMO_MESSAGES } from "../promo/rules.ts";
import { SubmitButton } from "../ui/button.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import { useSite } from "../ui/site.ts";
import type { Route } from "./+types/login.ts";
import { CredentialsPage, Divider, EmailField, PasswordField, TimeZoneField } from "./credentials-page.tsx";
import { emailAddress, returnPath, timeZoneName } from "./person-fields.server.ts";
import { readEnabledProviders } from "./providers/connect.server.ts";
import { ProviderButtons } from "./providers/provider-buttons.tsx";
import { NO_COOKIES } from "./providers/sign-in-errors.ts";
import { pathAfter, readUserIfPossible } from "./session.server.ts";
import { signInWithPassword } from "./sign-in.server.ts";

/** Spec §8. */
const FAILURE = "Failed to sign in";

const signInForm = z.object({
  email: emailAddress,
  password: z.string({ error: "Enter your password" }).max(1000, "Enter your password"),
  return_to: returnPath,
  time_zone: timeZoneName,
});

export const handle: RouteHandle = { hydrate: true };

export { sendForm as clientAction } from "../ui/send-form.ts";

const REASONS = new Map<string | null, string>([
  ["promo", PROMO_MESSAGES.signedOut],
  ["subscribe", BILLING_MESSAGES.signedOut],
  ["cookies", NO_COOKIES],
  ["reset", "Your password was changed. Log in with your new one."],
]);

export async function loader(args: Route.LoaderArgs) {
  const query = new URL(args.request.url).searchParams;
  const { app } = fromContext(args.context);
  const choice = choiceIn(args.request.url);
  const requested = safePath(query.get("return_to"), choice.promo ? subscriptionPath(choice) : "");
  const returnTo = requested || "/dashboard";
  if (await readUserIfPossible(args)) throw redirect(returnTo);
  const offer = readEnabledProviders(app, args.request);
  const reason = offer.failure ? undefined : REASONS.get(query.get("reason"));
  return {
    returnTo,
    returnQuery: requested ? `?${new URLSearchParams({ return_to: requested })}` : "",
    reason,
    offer,
  };
}

export async function action(args: Route.ActionArgs) {
  requireLocalSignIn(args.context);
  return submitForm(args, {
    schema: signInForm,
    failure: FAILURE,
    async work({ return_to: returnTo, time_zone: timeZone, ...credentials }) {
      const signedIn = await signInWithPassword(args, { ...credentials, timeZone });
      if (!signedIn.ok) return signedIn;
      return redirectDocument(pathAfter(signedIn.found, safePath(returnTo, "/dashboard")), 303);
    },
  });
}

export default function Login(props: Route.ComponentProps) {
  if (useSite().hostedAppUrl === null) return <LoginForm {...props} />;
  return <RedirectScreen to="login" returnTo={props.loaderData.returnTo} />;
}

function LoginForm({ loaderData, actionData }: Route.ComponentProps) {
  const { form, fields, formProps } = useRouteForm<typeof signInForm>(actionData);
  const forgotPasswordPath = `/forgot-password${loaderData.returnQuery}`;
  return (
    <CredentialsPage
      title="Login"
      reason={actionData ? undefined : loaderData.reason}
      failure={FAILURE}
      form={form}
      rateLimitHelp={
        <p>
          Don’t want to wait? <PageLink href={forgotPasswordPath}>Choose a new password by email</PageLink>.
        </p>
      }
    >
      <ProviderButtons offer={loaderData.offer} intent="sign_in" returnTo={loaderData.returnTo} />
      <Divider offer={loaderData.offer}>or use your email address</Divider>
      <PostForm {...formProps} className="grid gap-5">
        <EmailField field={fields.email} />
        <PasswordField field={fields.password} label="Password" autoComplete="current-password" />
        <input type="hidden" name={fields.return_to.name} value={loaderData.returnTo} />
        <TimeZoneField field={fields.time_zone} />
        <SubmitButton pendingLabel="Working…">Login</SubmitButton>
      </PostForm>
      <p>
        <PageLink href={forgotPasswordPath}>Forgot your password?</PageLink>
      </p>
      <p>
        New here? <PageLink href={`/register${loaderData.returnQuery}`}>Sign Up</PageLink>
      </p>
    </CredentialsPage>
  );
}
