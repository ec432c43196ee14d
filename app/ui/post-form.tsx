import { type ComponentProps, createContext, type SubmitEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { type FetcherWithComponents, Form, useRouteLoaderData, useSubmit } from "react-router";
import { ACCOUNT_FIELD } from "./account-mark.ts";
import { BUILD_FIELD, takeRefusal } from "./build.ts";
import { useFrame } from "./frame.ts";
import type { RootData } from "./site.ts";

/** The name and value of the button that submits a form, which distinguish several buttons. */
interface Sender {
  name: string;
  value: string;
}

/** The button by which the form around is being sent; `null` while it is not. */
export const SubmitterContext = createContext<Sender | null>(null);

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
 * page it says whose it is, and does nothing for another account (decision 0077). Where the server is of another build than the
 * page, it is sent as a document too.
 */
export function PostForm({ children, fetcher, isSending, onSubmit, ...given }: PostFormProps) {
  const frame = useFrame();
  const { accountMark = frame.accountMark, ...props } = given;
  const navigate = useSubmit();
  const build = useRouteLoaderData<RootData>("root")?.build;
  const buildMark = `${build} ${useId()}`;
  const [isRefused, setRefused] = useState(false);
  const isDocument = props.reloadDocument || isRefused;
  const [pressed, setPressed] = useState<Sender | null>(null);
  const sender = pressed ?? (isSending ? ONLY_BUTTON : null);

  function send(event: SubmitEvent<HTMLFormElement>) {
    if (sender) event.preventDefault();
    else if (!isRefused) onSubmit?.(event);
    if (event.defaultPrevented) return;
    const button = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
    setPressed(button ? { name: button.name, value: button.value } : ONLY_BUTTON);
    if (isDocument) return;
    // Like `Form` itself, but lets us know when it has finished.
    event.preventDefault();
    const submit = fetcher?.submit ?? navigate;
    const { preventScrollReset } = props;
    const form = event.currentTarget;
    void submit(button ?? form, { preventScrollReset }).finally(() => {
      if (!takeRefusal(buildMark)) return setPressed(null);
      // Now, because the form as rendered is sent next.
      flushSync(() => {
        setPressed(null);
        setRefused(true);
      });
      form.requestSubmit(button);
    });
  }

  const Sent = fetcher?.Form ?? Form;
  return (
    <Sent
      method="post"
      {...props}
      reloadDocument={isDocument}
      onSubmit={send}
      aria-busy={sender ? true : undefined}
    >
      {build && <input type="hidden" name={BUILD_FIELD} value={buildMark} />}
      {accountMark && <input type="hidden" name={ACCOUNT_FIELD} value={accountMark} />}
      <SubmitterContext value={sender}>{children}</SubmitterContext>
    </Sent>
  );
}
