import { data, redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { createSecretToken, isSecretToken } from "../../http/secret-token.server.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { privateFormHeaders } from "../../ui/private-page.tsx";
import { useSite } from "../../ui/site.ts";
import { AccountPage } from "../account-page.tsx";
import { returnToOf } from "../person-fields.server.ts";
import type { Route } from "./+types/codes.ts";
import { pathTo, renewRecoveryCodes, requireOwner, withChangeLimit } from "./change-factors.server.ts";
import { readSecondFactor } from "./read-factors.server.ts";

export const headers = privateFormHeaders;

const codesForm = z.object({ form: z.string().refine(isSecretToken) });

/** `form` makes the same set of a form that is sent twice. */
export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireOwner(args);
  const { app } = fromContext(args.context);
  const { isOn, recoveryCodesLeft: left } = await readSecondFactor(app.db, user.id);
  if (!isOn) throw redirect(pathTo(args, ""), 303);
  const isNew = new URL(args.request.url).searchParams.has("said");
  return { left, form: createSecretToken(), isNew, returnTo: returnToOf(args, "") };
}

/** Answers with the codes: no URL may show them again. Reloaded, which sends the form again, they are the same. */
export async function action(args: Route.ActionArgs) {
  const own = await requireOwner(args);
  const sent = codesForm.safeParse(Object.fromEntries(await readForm(args.request)));
  if (!sent.success) throw data(null, { status: 400 });
  const { app } = fromContext(args.context);
  const done = await withChangeLimit(args, own, async () => {
    const codes = await renewRecoveryCodes(app, own, sent.data.form);
    if (!codes) throw redirect(pathTo(args, ""), 303);
    return { codes };
  });
  return "codes" in done ? done : data({ message: done.message }, done);
}

export default function RecoveryCodes({ loaderData, actionData }: Route.ComponentProps) {
  const { left, form, isNew, returnTo } = loaderData;
  if (actionData && "codes" in actionData)
    return <NewCodes codes={actionData.codes} returnTo={returnTo || "/account/second-factor"} />;
  return (
    <AccountPage title="Recovery codes" back="two-step login">
      {actionData && <Notice tone="bad">{actionData.message}</Notice>}
      {isNew && !actionData && (
        <Notice tone="good">Two-step login is on. One thing is left: your recovery codes.</Notice>
      )}
      <p>
        If you lose your phone or your security key, a recovery code lets you in. Each of the ten works once.
        You’ll see them only once, so be ready to save them.
      </p>
      {left > 0 && <p>You have {left} left. Making new ones ends those.</p>}
      <PostForm className="grid gap-5">
        <input type="hidden" name="form" value={form} />
        <SubmitButton pendingLabel="Making them…">
          {left > 0 ? "Make new codes" : "Show my recovery codes"}
        </SubmitButton>
      </PostForm>
    </AccountPage>
  );
}

function NewCodes({ codes, returnTo }: { codes: string[]; returnTo: string }) {
  const { product } = useSite();
  const file = [`Recovery codes for ${product}. Each works once.`, "", ...codes, ""].join("\r\n");
  return (
    <AccountPage title="Your recovery codes" back={null}>
      <p>Save them in your password manager, or print this page. We can’t show them again.</p>
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-4">
        <PageLink
          className="button"
          data-quiet=""
          download={`${product.toLowerCase()}-recovery-codes.txt`}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
        >
          Download codes
        </PageLink>
        <ButtonLink href={returnTo}>I saved them</ButtonLink>
      </div>
    </AccountPage>
  );
}
