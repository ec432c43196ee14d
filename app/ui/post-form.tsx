import { type ComponentProps, createContext, type SubmitEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { type FetcherWithComponents, Form, useRouteLoaderData, useSubmit } from "react-router";
import { ACCOUNT_FIELD } from "./account-mark.ts";
import { BUILD_FIELD, takeRefusal } from "./build.ts";
import { useFrame } from "./frame.ts";
import type { RootData } from "./site.ts";

/** The submit button, by its name and value. */
interface Sender {
  name: string;
  value: string;
}

/** The button that sent the surrounding form, while it is being sent. */
export const SubmitterContext = createContext<Sender | null>(null);

const ONLY_BUTTON: Sender = { name: "", value: "" };

type PostFormProps = ComponentProps<typeof Form> & {
  /** Sends it without a navigation. */
  fetcher?: FetcherWithComponents<unknown>;
  /** By default the account whose page this is. */
  accountMark?: string;
  /** Shows the form as being sent, while its own `onSubmit` works. */
  isSending?: boolean;
};

/**
 * Sent by the router where React runs, once at a time, else as a document; as a document too when the server is of another build. Says
 * whose page it is on, and does nothing for another account (decision 0077).
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
      // The form as rendered is sent next.
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
