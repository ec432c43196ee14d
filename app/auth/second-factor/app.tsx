import { redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../../http/context.server.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Field } from "../../ui/field.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { privateFormHeaders } from "../../ui/private-page.tsx";
import { drawQrCode } from "../../ui/qr-code.server.ts";
import { QrCode } from "../../ui/qr-code.tsx";
import { useRouteForm } from "../../ui/route-form.ts";
import { useSite } from "../../ui/site.ts";
import { AccountPage } from "../account-page.tsx";
import { renewTokenAlone } from "../session.server.ts";
import type { Route } from "./+types/app.ts";
import { readAppSetup } from "./authenticator-app.server.ts";
import {
  addAuthenticatorApp,
  pathAfterAdding,
  pathTo,
  requireOwner,
  withChangeLimit,
} from "./change-factors.server.ts";
import { readSecondFactor } from "./read-factors.server.ts";

const FAILURE = "Your authenticator app isn’t set up yet";

const appForm = z.object({ otp: z.string({ error: "Enter the code" }).max(100, "Enter the code") });

export { sendForm as clientAction } from "../../ui/send-form.ts";

export const headers = privateFormHeaders;

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireOwner(args);
  const { app } = fromContext(args.context);
  const setup = await readAppSetup(app, user);
  if (!setup) throw redirect(pathTo(args, ""), 303);
  return { key: setup.key.replace(/.{4}(?=.)/g, "$& "), url: setup.url, picture: drawQrCode(setup.url) };
}

export async function action(args: Route.ActionArgs) {
  const { app } = fromContext(args.context);
  return submitForm(args, {
    schema: appForm,
    failure: FAILURE,
    sender: requireOwner,
    work: ({ otp }, own) =>
      withChangeLimit(args, own, async () => {
        const added = await addAuthenticatorApp(app, own, otp);
        // Sent twice: the first has set it up.
        const { app: known } = await readSecondFactor(app.db, own.user.id);
        if (!added.ok && !known) return added;
        await renewTokenAlone(args, own.id);
        return redirect(await pathAfterAdding(args, own, "app"), 303);
      }),
  });
}

export default function SetUpApp({ loaderData, actionData }: Route.ComponentProps) {
  const { key, url, picture } = loaderData;
  const { product } = useSite();
  const { form, fields, formProps } = useRouteForm<typeof appForm>(actionData, { id: "app" });
  return (
    <AccountPage title="Set up an authenticator app" back="two-step login">
      {!form.valid && <ErrorSummary title={FAILURE} form={form} />}
      <p>Scan this with the app on your phone. Any authenticator app works.</p>
      <QrCode picture={picture} label={`QR code for your ${product} account`} />
      <p>
        Can’t scan it? <PageLink href={url}>Open it in an app on this device</PageLink>, or type this key:
        <strong className="block max-w-[20ch] pt-1 font-mono">{key}</strong>
      </p>
      <PostForm {...formProps} className="grid gap-5 w-full max-w-[27rem]">
        <Field
          field={fields.otp}
          label="Code"
          hint="The six digits the app shows now."
          input={{ inputMode: "numeric", autoComplete: "one-time-code" }}
        />
        <SubmitButton pendingLabel="Checking…">Turn it on</SubmitButton>
      </PostForm>
    </AccountPage>
  );
}
