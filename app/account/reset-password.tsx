import { getFormProps, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { data, Form, isRouteErrorResponse, redirect, useNavigation } from "react-router";
import { PASSWORD_HINT, resetPasswordForm } from "../auth/credentials.ts";
import { providerName } from "../auth/providers/provider-names.ts";
import { wasResetTo } from "../auth/reset-again.server.ts";
import { readResetAccount, resetPassword } from "../auth/reset-password.server.ts";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { readLinkToken } from "../http/secret-token.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { pageMeta } from "../ui/page-meta.ts";
import { PRIVATE_HEADERS } from "../ui/private-page.tsx";
import { COULD_NOT_REACH, whenOffline } from "../ui/when-offline.ts";
import type { Route } from "./+types/reset-password.ts";
import { CredentialsPage } from "./credentials-page.tsx";
import { DeadLink } from "./dead-link.tsx";
import { answerForm, hasBrokenContext, refuse } from "./submit-form.server.ts";

const FAILURE = "Failed to change the password";
const CHANGED = "/login?reason=reset";

export const handle = { hydrate: true };

export const headers: Route.HeadersFunction = ({ actionHeaders }) => ({
  ...PRIVATE_HEADERS,
  ...Object.fromEntries(actionHeaders),
});

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Choose a new password", "For your account.");

export async function loader(args: Route.LoaderArgs) {
  try {
    return await readAccount(args);
  } catch (error) {
    // The form says that it broke, and can be sent again without knowing whose account it is for.
    if (args.context.get(hasBrokenContext)) return null;
    throw error;
  }
}

/** Whose password is chosen, and what else lets people into the account. */
async function readAccount({ request, context }: Route.LoaderArgs) {
  const { app } = fromContext(context);
  const account = await readResetAccount(app.db, readLinkToken(request));
  if (!account) throw data(null, { status: 410 });
  const { email, isVerified, providers } = account;
  return { email, isVerified, connected: providers.map(providerName) };
}

export async function action(args: Route.ActionArgs) {
  const submission = parseWithZod(await readForm(args.request), { schema: resetPasswordForm });
  if (submission.status !== "success") return refuse(submission);
  const { app, state } = fromContext(args.context);
  const { password, disconnects } = submission.value;
  return answerForm(args, submission, FAILURE, async () => {
    const token = readLinkToken(args.request);
    const reset = await resetPassword(app, state.client, token, { password, disconnects });
    if (reset && !reset.ok) return reset;
    if (reset || (await wasResetTo(app, state.client, token, password))) return redirect(CHANGED, 303);
    throw new Response(null, { status: 410 });
  });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return whenOffline(serverAction, { status: "error", error: { "": [COULD_NOT_REACH] } });
}

export default function ResetPassword({ loaderData, actionData }: Route.ComponentProps) {
  const navigation = useNavigation();
  const [form, fields] = useForm({
    lastResult: navigation.state === "idle" ? actionData : null,
    constraint: getZodConstraint(resetPasswordForm),
    shouldRevalidate: "onInput",
    onValidate: ({ formData }) => parseWithZod(formData, { schema: resetPasswordForm }),
  });
  return (
    <CredentialsPage title="Choose a new password" failure={FAILURE} form={form}>
      <p>
        {loaderData && (
          <>
            For the account of <strong className="[overflow-wrap:anywhere]">{loaderData.email}</strong>.{" "}
          </>
        )}
        You are signed out everywhere once it is changed.
      </p>
      {loaderData && !loaderData.isVerified && (
        <p>
          This address was never confirmed, so someone else may have opened the account. The new password
          makes it yours alone: the name, the photo and any connected accounts are removed.
        </p>
      )}
      <Form method="post" {...getFormProps(form)} className="grid gap-5">
        {/* For password managers, which keep a password under the name it belongs to. */}
        <input
          type="email"
          name="username"
          autoComplete="username"
          value={loaderData?.email ?? ""}
          readOnly
          hidden
        />
        <Field
          field={fields.password}
          label="New password"
          hint={PASSWORD_HINT}
          input={{ type: "password", autoComplete: "new-password" }}
        />
        {loaderData ? (
          <Disconnect
            name={fields.disconnects.name}
            connected={loaderData.isVerified ? loaderData.connected : []}
            isChosen={!actionData || fields.disconnects.initialValue === "true"}
          />
        ) : (
          <input
            type="hidden"
            name={fields.disconnects.name}
            value={fields.disconnects.initialValue ?? "false"}
          />
        )}
        <SubmitButton isPending={navigation.state !== "idle"} pendingLabel="Changing it…">
          Change the password
        </SubmitButton>
      </Form>
      <p>
        <a href="/login">Back to Login</a>
      </p>
    </CredentialsPage>
  );
}

function Disconnect(props: { name: string; connected: string[]; isChosen: boolean }) {
  const { name, connected, isChosen } = props;
  if (connected.length === 0) return null;
  return (
    <label className="flex gap-3 items-start min-h-11">
      <input
        type="checkbox"
        name={name}
        value="true"
        defaultChecked={isChosen}
        className="size-5 mt-1 shrink-0"
      />
      <span>
        Disconnect {connected.join(" and ")}. Leave this on unless you connected{" "}
        {connected.length > 1 ? "them" : "it"} yourself: whoever did can sign in to this account.
      </span>
    </label>
  );
}

/** A link that is used up or expired, whether that is found on arriving or on sending the form. */
export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 410) return <DeadLink purpose="reset_password" />;
  throw error;
}
