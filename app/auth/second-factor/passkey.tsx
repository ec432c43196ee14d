import { data, redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../../http/context.server.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useRouteForm } from "../../ui/route-form.ts";
import { isVisible, withoutDirectionMarks } from "../../ui/typed-text.ts";
import { useHydrated } from "../../ui/use-hydrated.ts";
import { AccountPage } from "../account-page.tsx";
import { renewTokenAlone } from "../session.server.ts";
import { deviceOf } from "../sessions.server.ts";
import type { Route } from "./+types/passkey.ts";
import { addPasskey, pathAfterAdding, requireOwner, withChangeLimit } from "./change-factors.server.ts";
import { hasPasskeys } from "./passkeys.server.ts";
import { usePasskey } from "./use-passkey.ts";

const FAILURE = "Your passkey wasn’t added";

/** `passkey`: the browser's answer, set by a script. */
const passkeyForm = z.object({
  name: z
    .string({ error: "Give the passkey a name" })
    .max(300, { error: "Choose a name of at most 100 characters", abort: true })
    .transform(withoutDirectionMarks)
    .refine(isVisible, "Give the passkey a name")
    .pipe(z.string().max(100, { error: "Choose a name of at most 100 characters" })),
  passkey: z
    .string({ error: "Adding a passkey needs JavaScript. An authenticator app works without." })
    .max(20_000, "Your browser’s answer is too long"),
});

export { sendForm as clientAction } from "../../ui/send-form.ts";

export async function loader(args: Route.LoaderArgs) {
  await requireOwner(args);
  if (!hasPasskeys(fromContext(args.context).app.config)) throw data(null, { status: 404 });
  return { name: deviceOf(args.request.headers.get("user-agent")) };
}

export async function action(args: Route.ActionArgs) {
  const { app } = fromContext(args.context);
  return submitForm(args, {
    schema: passkeyForm,
    failure: FAILURE,
    sender: requireOwner,
    work: (passkey, own) =>
      withChangeLimit(args, own, async () => {
        const added = await addPasskey(app, own, passkey);
        if (!added.ok) return added;
        await renewTokenAlone(args, own.id);
        return redirect(await pathAfterAdding(args, own, "passkey"), 303);
      }),
  });
}

export default function AddPasskey({ loaderData, actionData }: Route.ComponentProps) {
  const { form, fields, formProps } = useRouteForm<typeof passkeyForm>(actionData, {
    id: "passkey",
    defaultValue: { name: loaderData.name },
  });
  const { field, onSubmit, problem } = usePasskey("add");
  const isHydrated = useHydrated();
  return (
    <AccountPage title="Add a passkey" back="two-step login">
      {!form.valid && <ErrorSummary title={FAILURE} form={form} hiddenFields={["passkey"]} />}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <p>Your device or security key creates a passkey. You unlock it with your fingerprint, face, or PIN.</p>
      <noscript>
        <p>
          Adding a passkey needs JavaScript.{" "}
          <PageLink href="/account/second-factor">An authenticator app</PageLink> works without.
        </p>
      </noscript>
      <PostForm
        {...formProps}
        onSubmit={onSubmit}
        hidden={!isHydrated}
        className="grid gap-5 w-full max-w-[27rem]"
      >
        <input type="hidden" name="passkey" ref={field} />
        <Field
          field={fields.name}
          label="Name"
          hint="So you recognize it in your list."
          input={{ maxLength: 100, autoComplete: "off" }}
        />
        <button type="submit" className="button">
          Create the passkey
        </button>
      </PostForm>
    </AccountPage>
  );
}
