import { useFetcher } from "react-router";
import { SubmitButton } from "../../ui/button.tsx";
import { Focused } from "../../ui/focused.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { Address } from "./address.tsx";
import { WhatIsDeleted } from "./what-is-deleted.tsx";

/** What the page of the deletion knows. */
export interface DeletionData {
  email: string;
  /** What is paid for and ends, by its id; empty without. */
  subscription: string;
  planName: string | null;
}

interface NotDeleted {
  message: string;
  fieldError?: string | null;
}

/** What deleting the account means, and the form for it. @param props.answer of the page's action, without scripts */
export function DeleteForm(props: DeletionData & { answer?: NotDeleted }) {
  const { email, subscription, planName } = props;
  const fetcher = useFetcher<NotDeleted>();
  const answer = fetcher.data ?? props.answer;
  return (
    <>
      {answer && (
        <Focused>
          <Notice tone="bad">{answer.message}</Notice>
        </Focused>
      )}
      <WhatIsDeleted planName={planName} />
      <PostForm
        action="/account/delete"
        fetcher={fetcher}
        noValidate
        className="grid gap-5 w-full max-w-[27rem]"
      >
        <div className="grid gap-1.5">
          <label htmlFor="delete-email" className="font-semibold">
            Your email address
          </label>
          <p id="delete-hint" className="text-quiet text-[0.9375rem]">
            Type{" "}
            <strong className="[overflow-wrap:anywhere]">
              <Address email={email} />
            </strong>{" "}
            to confirm.
          </p>
          <input
            id="delete-email"
            name="email"
            type="email"
            className="field-input"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            aria-describedby={answer?.fieldError ? "delete-error delete-hint" : "delete-hint"}
            aria-invalid={answer?.fieldError ? true : undefined}
          />
          {answer?.fieldError && (
            <p id="delete-error" className="text-coral font-semibold">
              {answer.fieldError}
            </p>
          )}
        </div>
        <input type="hidden" name="subscription" value={subscription} />
        <div>
          <SubmitButton isDangerous pendingLabel="Deleting…">
            Delete my account
          </SubmitButton>
        </div>
      </PostForm>
    </>
  );
}
