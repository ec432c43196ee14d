import { useState } from "react";
import { data, Form, redirect, useSubmit } from "react-router";
import { deviceOf } from "../../auth/device.ts";
import { askPasskey } from "../../auth/second-factor/ask-passkey.ts";
import { addPasskey, readSecondFactor } from "../../auth/second-factor/change-factors.server.ts";
import { passkeyForm } from "../../auth/second-factor/factor-form.ts";
import { hasPasskeys } from "../../auth/second-factor/passkeys.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Field } from "../../ui/field.tsx";
import { useIsHydrated } from "../../ui/is-hydrated.ts";
import { Notice } from "../../ui/notice.tsx";
import { sendForm, useRouteForm } from "../../ui/route-form.ts";
import { AccountPage } from "../profile/account-page.tsx";
import type { Route } from "./+types/passkey.ts";
import { pathTo, requireOwner, withChangeLimit } from "./owner.server.ts";

const FAILURE = "Your passkey wasn’t added";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

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
    work: (asked, own) =>
      withChangeLimit(args, own, async () => {
        const added = await addPasskey(app, own, asked);
        if (!added.ok) return added;
        const { recoveryCodesLeft } = await readSecondFactor(app.db, own.user.id);
        return redirect(pathTo(args, recoveryCodesLeft > 0 ? "" : "/codes", "passkey"), 303);
      }),
  });
}

export const clientAction = sendForm;

export default function AddPasskey({ loaderData, actionData }: Route.ComponentProps) {
  const { form, fields, formProps } = useRouteForm(passkeyForm, actionData, {
    id: "passkey",
    defaultValue: { name: loaderData.name },
  });
  const [problem, setProblem] = useState<string | null>(null);
  const submit = useSubmit();
  const isHydrated = useIsHydrated();

  /** The browser asks its user first; what it says goes along with the name. */
  async function create(element: HTMLFormElement): Promise<void> {
    setProblem(null);
    const name = String(new FormData(element).get("name")).trim() || loaderData.name;
    const asked = await askPasskey("add");
    if ("problem" in asked) return setProblem(asked.problem);
    await submit({ name: name.slice(0, 100), passkey: asked.passkey }, { method: "post" });
  }

  return (
    <AccountPage title="Add a passkey">
      <p>
        Your device or security key makes a key that only it has. You show it with your fingerprint, face or
        PIN.
      </p>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!form.valid && !problem && <ErrorSummary title={FAILURE} form={form} />}
      {isHydrated ? (
        <Form
          {...formProps}
          className="grid gap-5 w-full max-w-[27rem]"
          onSubmit={(event) => {
            event.preventDefault();
            void create(event.currentTarget);
          }}
        >
          <Field
            field={fields.name}
            label="Name"
            hint="So you recognise it in your list."
            input={{ maxLength: 100, autoComplete: "off" }}
          />
          <button type="submit" className="button">
            Create the passkey
          </button>
        </Form>
      ) : (
        <p>
          Adding a passkey needs JavaScript. <a href="/account/second-factor">An authenticator app</a> works
          without.
        </p>
      )}
    </AccountPage>
  );
}
