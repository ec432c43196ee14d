import { data, redirect } from "react-router";
import { REOPEN_FIELD } from "../auth/other-account.server.ts";
import { fromContext } from "../http/context.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { PrivatePage, privateFormHeaders } from "../ui/private-page.tsx";
import type { Route } from "./+types/other-account.ts";

export const headers = privateFormHeaders;

/** What can be worth reading, or copying, of what was typed: other fields are choices and what the page itself put in. */
const TYPED_TEXTS = new Map([
  ["name", "Name"],
  ["photo", "Photo"],
  ["email", "Email address"],
  ["code", "Code"],
  ["comment", "Comment"],
  ["answer", "Answer"],
]);

/** Answers a form that was made for another account than is signed in now; asked for by itself it has nothing to say. */
export function loader({ context }: Route.LoaderArgs) {
  const { otherAccount } = fromContext(context).state;
  if (!otherAccount) throw redirect("/account");
  return data({ ...otherAccount, reopen: REOPEN_FIELD }, { status: 409 });
}

export default function OtherAccount({ loaderData }: Route.ComponentProps) {
  const { sentence, now, named, typed, pages, reopen } = loaderData;
  const texts = typed.filter(([name, value]) => TYPED_TEXTS.has(name) && value !== "");
  return (
    <PrivatePage title="Another account is signed in">
      <h1>Another account is signed in</h1>
      <Notice tone="bad">
        <p className="font-semibold">{sentence}</p>
        <p>Nothing was changed, for either of them.{texts.length > 0 && " What you typed is kept."}</p>
      </Notice>
      {texts.length > 0 && (
        <dl className="w-full">
          {texts.map(([name, value]) => (
            <div key={name} className="account-line">
              <dt>{TYPED_TEXTS.get(name)}</dt>
              <dd className="whitespace-pre-wrap [overflow-wrap:anywhere]">
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <PostForm action={pages.now}>
        {typed.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name={reopen} value="1" />
        <SubmitButton pendingLabel="Opening…">{`Continue as ${now}`}</SubmitButton>
      </PostForm>
      <PostForm action="/logout">
        <input type="hidden" name="return_to" value={pages.named} />
        <SubmitButton isQuiet pendingLabel="Signing out…">
          {named ? `Sign out and log in as ${named}` : "Sign out and log in again"}
        </SubmitButton>
      </PostForm>
    </PrivatePage>
  );
}
