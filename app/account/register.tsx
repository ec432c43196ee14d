import { getFormProps, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, redirect, redirectDocument, useNavigation } from "react-router";
import { PASSWORD_HINT, signUpForm } from "../auth/credentials.ts";
import { readEnabledProviders } from "../auth/providers/enabled-providers.server.ts";
import { ProviderButtons } from "../auth/providers/provider-buttons.tsx";
import { openSession, readUserIfPossible } from "../auth/session.server.ts";
import { signInWithPassword } from "../auth/sign-in.server.ts";
import { signUp } from "../auth/sign-up.server.ts";
import { describeChoice } from "../billing/describe-choice.server.ts";
import { requireLocalSignIn } from "../hosted-app/local-sign-in.server.ts";
import { RedirectScreen } from "../hosted-app/redirect-screen.tsx";
import { fromContext } from "../http/context.server.ts";
import type { Failure } from "../http/errors.ts";
import { readForm } from "../http/form.server.ts";
import { safePath } from "../http/safe-path.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { pageMeta } from "../ui/page-meta.ts";
import { useSite } from "../ui/site.ts";
import { COULD_NOT_REACH, whenOffline } from "../ui/when-offline.ts";
import type { Route } from "./+types/register.ts";
import { CredentialsPage, EmailField, OrByEmail } from "./credentials-page.tsx";
import { answerForm, refuse } from "./submit-form.server.ts";

/** Spec §8. */
const FAILURE = "Failed to sign up";

export const handle = { hydrate: true };

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Sign Up", "Make an account. It is free.");

export async function loader(args: Route.LoaderArgs) {
  const returnTo = safePath(new URL(args.request.url).searchParams.get("return_to"), "/subscription");
  if (await readUserIfPossible(args)) throw redirect(returnTo);
  const { app } = fromContext(args.context);
  return {
    returnTo,
    chosen: await describeChoice(app, returnTo),
    offer: readEnabledProviders(app, args.request),
  };
}

export async function action(args: Route.ActionArgs) {
  requireLocalSignIn(args.context);
  const submission = parseWithZod(await readForm(args.request), { schema: signUpForm });
  if (submission.status !== "success") return refuse(submission);
  const { app, state } = fromContext(args.context);
  const { return_to: returnTo, ...asked } = submission.value;
  return answerForm(args, submission, FAILURE, async () => {
    const signedUp = await signUp(app, state.client, asked);
    if ("isAddressTaken" in signedUp) return signInInstead(args, asked, returnTo, signedUp);
    if (!signedUp.ok) return signedUp;
    await openSession(args, signedUp.userId);
    return redirectDocument(safePath(returnTo, "/dashboard"), 303);
  });
}

/**
 * Lets whoever knows the account's password in: pressed twice, a form without scripts is sent twice, and the second
 * finds the account that the first has made.
 *
 * @returns `taken` when the password is not that account's, or was tried too often
 */
async function signInInstead(
  args: Route.ActionArgs,
  credentials: { email: string; password: string },
  returnTo: string | undefined,
  taken: Failure,
): Promise<Response | Failure> {
  const signedIn = await signInWithPassword(args, credentials);
  return signedIn.ok ? redirectDocument(safePath(returnTo, "/dashboard"), 303) : taken;
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return whenOffline(serverAction, { status: "error", error: { "": [COULD_NOT_REACH] } });
}

export default function Register(props: Route.ComponentProps) {
  if (useSite().hostedAppUrl === null) return <RegisterForm {...props} />;
  return <RedirectScreen to="register" returnTo={props.loaderData.returnTo} />;
}

function RegisterForm({ loaderData, actionData }: Route.ComponentProps) {
  const navigation = useNavigation();
  const [form, fields] = useForm({
    lastResult: navigation.state === "idle" ? actionData : null,
    constraint: getZodConstraint(signUpForm),
    defaultValue: { return_to: loaderData.returnTo },
    shouldRevalidate: "onInput",
    onValidate: ({ formData }) => parseWithZod(formData, { schema: signUpForm }),
  });
  return (
    <CredentialsPage
      title="Sign Up"
      otherWayIn={
        <a href={`/login?${new URLSearchParams({ return_to: loaderData.returnTo })}`}>Log in instead</a>
      }
      failure={FAILURE}
      reason={loaderData.chosen}
      form={form}
    >
      <ProviderButtons offer={loaderData.offer} intent="sign_in" returnTo={loaderData.returnTo} />
      <OrByEmail offer={loaderData.offer} />
      <Form method="post" {...getFormProps(form)} className="grid gap-5">
        <Field field={fields.name} label="Name" input={{ autoComplete: "name", maxLength: 100 }} />
        <EmailField field={fields.email} />
        <Field
          field={fields.password}
          label="Password"
          hint={PASSWORD_HINT}
          input={{ type: "password", autoComplete: "new-password" }}
        />
        <input type="hidden" name={fields.return_to.name} value={loaderData.returnTo} />
        <SubmitButton isPending={navigation.state !== "idle"} pendingLabel="Making your account…">
          Sign Up
        </SubmitButton>
      </Form>
      <p className="text-quiet">
        {/^\/subscription(\?|$)/.test(loaderData.returnTo)
          ? "Next you choose a plan or enter a promo code. Nothing is charged before the payment page."
          : "Nothing is charged before you choose a plan and confirm the payment."}{" "}
        By signing up you agree to the <a href="/terms">terms</a> and have read the{" "}
        <a href="/privacy">privacy page</a>.
      </p>
      <p>
        Have an account?{" "}
        <a href={`/login?${new URLSearchParams({ return_to: loaderData.returnTo })}`}>Login</a>
      </p>
    </CredentialsPage>
  );
}
