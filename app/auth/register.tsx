import { redirect, redirectDocument } from "react-router";
import { z } from "zod";
import { choiceIn, subscriptionPath } from "../billing/choice.ts";
import { describeChoice } from "../billing/describe-choice.server.ts";
import { describeCarried, withoutCarried } from "../categories/carried.ts";
import { requireLocalSignIn } from "../hosted-app/hosted-app.server.ts";
import { RedirectScreen } from "../hosted-app/redirect-screen.tsx";
import { type App, fromContext } from "../http/context.server.ts";
import { failure } from "../http/errors.ts";
import { pageUrl } from "../http/page-url.ts";
import { safePath } from "../http/safe-path.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { accountOffer } from "../ui/offer.ts";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import { useRoot, useSite } from "../ui/site.ts";
import type { Route } from "./+types/register.ts";
import { ADDRESS_TAKEN, PASSWORD_HINT } from "./credentials.ts";
import { CredentialsPage, Divider, EmailField, PasswordField, TimeZoneField } from "./credentials-page.tsx";
import { AUTH_LIMITS } from "./limits.ts";
import { sendVerification } from "./mail-links.server.ts";
import { judgeNewPassword } from "./password-rules.server.ts";
import { BY_PASSWORD, hashPassword } from "./passwords.server.ts";
import { emailAddress, newPassword, personName, returnPath, timeZoneName } from "./person-fields.server.ts";
import { readEnabledProviders } from "./providers/connect.server.ts";
import { ProviderButtons } from "./providers/provider-buttons.tsx";
import { openSession, pathAfter, readUserIfPossible } from "./session.server.ts";
import { signInWithPassword } from "./sign-in.server.ts";
import { createUser, type NewUser } from "./users.server.ts";

/** Spec §8. */
const FAILURE = "Failed to sign up";

const signUpForm = z.object({
  name: personName,
  email: emailAddress,
  password: newPassword,
  return_to: returnPath,
  time_zone: timeZoneName,
});

export const handle: RouteHandle = { hydrate: true };

export { sendForm as clientAction } from "../ui/send-form.ts";

export async function loader(args: Route.LoaderArgs) {
  const { app, state } = fromContext(args.context);
  const { searchParams, search } = pageUrl(args.request);
  const returnTo = safePath(searchParams.get("return_to"), subscriptionPath(choiceIn(search)));
  if (await readUserIfPossible(args)) throw redirect(returnTo);
  return {
    returnTo,
    chosen: describeCarried(returnTo) ?? (await describeChoice({ app, state }, returnTo)),
    offer: readEnabledProviders(app, args.request),
  };
}

export async function action(args: Route.ActionArgs) {
  requireLocalSignIn(args.context);
  const { app, state } = fromContext(args.context);
  return submitForm(args, {
    schema: signUpForm,
    failure: FAILURE,
    async work({ return_to, time_zone: timeZone, password, ...typed }) {
      const returnTo = safePath(return_to, "/dashboard");
      const judged = await judgeNewPassword(app, state.client, password, typed);
      if (!judged.ok) return judged;
      const made = await withLimit(app, AUTH_LIMITS.signUpByClient, state.client, async () => ({
        userId: await createAccount(app, { ...typed, timeZone }, password, returnTo),
      }));
      if (!("userId" in made)) return made;
      if (made.userId) {
        await openSession(args, made.userId, BY_PASSWORD);
        return redirectDocument(returnTo, 303);
      }
      // When a form is sent twice, the second request finds the account that the first created (decision 0032).
      const signedIn = await signInWithPassword(args, { ...typed, timeZone, password });
      if (!signedIn.ok) return failure(400, ADDRESS_TAKEN);
      return redirectDocument(pathAfter(signedIn.found, returnTo), 303);
    },
  });
}

/** @returns `null` when the address is taken */
async function createAccount(
  { config, db }: Pick<App, "config" | "db">,
  person: Omit<NewUser, "emailVerified" | "signIn">,
  password: string,
  returnTo: string,
): Promise<string | null> {
  const signIn = { passwordHash: await hashPassword(password) };
  return db.transaction(async (tx) => {
    const id = await createUser(tx, { ...person, emailVerified: false, signIn });
    if (id)
      await sendVerification(tx, config.site, {
        id,
        email: person.email,
        returnTo: withoutCarried(returnTo),
      });
    return id;
  });
}

export default function Register(props: Route.ComponentProps) {
  if (useSite().hostedAppUrl === null) return <RegisterForm {...props} />;
  return <RedirectScreen to="register" returnTo={props.loaderData.returnTo} />;
}

/** A promo code alone leads to no payment. */
function whenYouPay({ chosen, returnTo }: { chosen?: string; returnTo: string }, isSelling: boolean): string {
  if (chosen && choiceIn(returnTo).plan) return "You pay on the payment page, after the next step.";
  if (chosen || !/^\/subscription(\?|$)/.test(returnTo)) return "You pay only if you buy a plan.";
  if (!isSelling) return "Next, enter a promo code.";
  return "Next, choose a plan or enter a promo code. You pay only on the payment page.";
}

function RegisterForm({ loaderData, actionData }: Route.ComponentProps) {
  const { isSelling } = useRoot();
  const loginLink = `/login?${new URLSearchParams({ return_to: loaderData.returnTo })}`;
  const { form, fields, formProps } = useRouteForm<typeof signUpForm>(actionData, {
    defaultValue: { return_to: loaderData.returnTo },
  });
  return (
    <CredentialsPage
      title="Sign Up"
      addressTakenHelp={<PageLink href={loginLink}>Log in instead</PageLink>}
      failure={FAILURE}
      reason={loaderData.chosen}
      form={form}
    >
      <p>Your account is free. {whenYouPay(loaderData, isSelling)}</p>
      <ProviderButtons offer={loaderData.offer} intent="sign_in" returnTo={loaderData.returnTo} />
      <Divider offer={loaderData.offer}>or use your email address</Divider>
      <PostForm {...formProps} className="grid gap-5">
        <Field field={fields.name} label="Name" input={{ autoComplete: "name", maxLength: 100 }} />
        <EmailField field={fields.email} />
        <PasswordField
          field={fields.password}
          label="Password"
          hint={PASSWORD_HINT}
          autoComplete="new-password"
        />
        <input type="hidden" name={fields.return_to.name} value={loaderData.returnTo} />
        <TimeZoneField field={fields.time_zone} />
        <SubmitButton pendingLabel="Working…">Sign Up</SubmitButton>
      </PostForm>
      <p className="text-quiet">
        By signing up, you agree to the <PageLink href="/terms">terms</PageLink> and confirm that you have
        read the <PageLink href="/privacy">privacy page</PageLink>.
      </p>
      <p>
        Already have an account? <PageLink href={loginLink}>Login</PageLink>
      </p>
      {!loaderData.chosen && (
        <p>
          {accountOffer(isSelling)} {isSelling ? "Not buying yet?" : "No code yet?"}{" "}
          <PageLink href="/waitlist">Join the waitlist</PageLink>. It’s free.
        </p>
      )}
    </CredentialsPage>
  );
}
