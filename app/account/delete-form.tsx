import { useFetcher } from "react-router";
import { Address } from "../auth/unverified-notice.tsx";
import { SubmitButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { Field } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { REFUND_PROMISE } from "../ui/offer.ts";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { type FormAnswer, useRouteForm } from "../ui/route-form.ts";
import type { deleteForm } from "./delete-account.server.ts";

export interface DeletionData {
  email: string;
  /** Empty without one. */
  subscription: string;
  planName: string | null;
  hasCategories: boolean;
}

/** @param props.answer of the page's action, without scripts */
export function DeleteForm(props: DeletionData & { answer?: FormAnswer | undefined }) {
  const { email, subscription } = props;
  const fetcher = useFetcher<FormAnswer>();
  const { form, fields, formProps } = useRouteForm<typeof deleteForm>(fetcher.data ?? props.answer, {
    id: "delete",
  });
  return (
    <>
      {!form.valid && <ErrorSummary title="Nothing was deleted" form={form} />}
      <WhatIsDeleted {...props} />
      <PostForm
        {...formProps}
        action="/account/delete"
        fetcher={fetcher}
        className="grid gap-5 w-full max-w-[27rem] pt-4"
      >
        <Field
          field={fields.email}
          label="Your email address"
          hint={
            <>
              Type{" "}
              <strong className="[overflow-wrap:anywhere]">
                <Address email={email} />
              </strong>{" "}
              to confirm.
            </>
          }
          input={{ type: "email", autoComplete: "off", autoCapitalize: "none", spellCheck: false }}
        />
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

function WhatIsDeleted({ planName, hasCategories }: DeletionData) {
  return (
    <>
      <p>
        This can’t be undone. You may want to <PageLink href="/account/export">download your data</PageLink>{" "}
        first.
      </p>
      {planName && (
        <Notice tone="plain">
          <p className="font-semibold">{`${planName} ends right away, and nothing more will be charged.`}</p>
          <p>
            Deleting doesn’t refund you. Want your money back?{" "}
            <PageLink href="/subscription/refund">Get a refund</PageLink> first. {REFUND_PROMISE}
          </p>
        </Notice>
      )}
      <h2>What is deleted</h2>
      <ul className="list">
        <li>Your name, photo, email address, password, and connected accounts.</li>
        {hasCategories && <li>Your categories and their keywords.</li>}
        <li>Your sign-ins, on this device and all others.</li>
        <li>Your plan and payment history here. We also delete your Stripe customer record.</li>
      </ul>
      <h2>What is kept</h2>
      <ul className="list">
        <li>Payment records at Stripe, for as long as tax law requires.</li>
        <li>
          That a promo code was used, when and for which plan, with a scrambled form of your email address and
          no name. That’s how a code works only once per person.
        </li>
        <li>Messages you sent us, until they’re settled.</li>
        <li>Your waitlist place, until you leave.</li>
      </ul>
    </>
  );
}
