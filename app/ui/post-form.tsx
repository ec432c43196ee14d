import { type ComponentProps, createContext, type SubmitEvent, useState } from "react";
import { type FetcherWithComponents, Form, useSubmit } from "react-router";
import { ACCOUNT_FIELD } from "./account-mark.ts";
import { useFrame } from "./frame.ts";

/** The name and value of the button that submits a form, which distinguish several buttons. */
interface Sender {
  name: string;
  value: string;
}

/** The button by which the form around is being sent; `null` while it is not. */
export const SentBy = createContext<Sender | null>(null);

/** The sender of a form whose only button has no name. */
const ONLY_BUTTON: Sender = { name: "", value: "" };

type PostFormProps = ComponentProps<typeof Form> & {
  /** Sends it without a navigation. */
  fetcher?: FetcherWithComponents<unknown>;
  /** Set when it is not the page's account. */
  accountMark?: string;
  /** Its `onSubmit` is at work on it. */
  isSending?: boolean;
};

/**
 * A form that posts: by the router where React runs in the browser, else as a document. It is sent once at a time. On a signed-in
 * page it says whose it is, and does nothing for another account (decision 0077).
 */
export function PostForm({ children, fetcher, isSending, onSubmit, ...given }: PostFormProps) {
  const frame = useFrame();
  const { accountMark = frame.accountMark, ...props } = given;
  const navigate = useSubmit();
  const [pressed, setPressed] = useState<Sender | null>(null);
  const sender = pressed ?? (isSending ? ONLY_BUTTON : null);

  function send(event: SubmitEvent<HTMLFormElement>) {
    if (sender) event.preventDefault();
    else onSubmit?.(event);
    if (event.defaultPrevented) return;
    const button = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
    setPressed(button ? { name: button.name, value: button.value } : ONLY_BUTTON);
    if (props.reloadDocument) return;
    // Like `Form` itself, but lets us know when it has finished.
    event.preventDefault();
    const submit = fetcher?.submit ?? navigate;
    const { preventScrollReset } = props;
    void submit(button ?? event.currentTarget, { preventScrollReset }).finally(() => setPressed(null));
  }

  const Sent = fetcher?.Form ?? Form;
  return (
    <Sent method="post" {...props} onSubmit={send} aria-busy={sender ? true : undefined}>
      {accountMark && <input type="hidden" name={ACCOUNT_FIELD} value={accountMark} />}
      <SentBy value={sender}>{children}</SentBy>
    </Sent>
  );
}
