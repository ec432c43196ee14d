import { SubmitButton } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { PrivatePage } from "../ui/private-page.tsx";

/** Other fields are choices, or values of the page itself. */
const TYPED_TEXTS = new Map([
  ["name", "Name"],
  ["photo", "Photo link"],
  ["email", "Email address"],
  ["code", "Code"],
  ["comment", "Comment"],
  ["answer", "Answer"],
]);

export interface OtherAccountAnswer {
  sentence: string;
  /** The address of the account that is signed in, and of the one the page was for, if that is known. */
  now: string;
  named: string | undefined;
  /** Without secrets. */
  typed: [name: string, value: string][];
  pages: { now: string; named: string };
  reopen: string;
  mark: string;
}

/** Its forms load documents, because the account changes. */
export function OtherAccountNotice(props: OtherAccountAnswer) {
  const { sentence, now, named, typed, pages, reopen, mark } = props;
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
      <PostForm action={pages.now} accountMark={mark} reloadDocument>
        {typed.map(([name, value]) => (
          <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name={reopen} value="1" />
        <SubmitButton pendingLabel="Opening…">{`Continue as ${now}`}</SubmitButton>
      </PostForm>
      <PostForm action="/logout" accountMark={mark} reloadDocument>
        <input type="hidden" name="return_to" value={pages.named} />
        <SubmitButton isQuiet pendingLabel="Signing out…">
          {named ? `Sign out and log in as ${named}` : "Sign out and log in again"}
        </SubmitButton>
      </PostForm>
    </PrivatePage>
  );
}
