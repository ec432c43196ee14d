import { Notice } from "../../ui/notice.tsx";
import { REFUND_PROMISE } from "../../ui/offer.ts";
import { PageLink } from "../../ui/page-link.tsx";

/** What deleting the account ends, deletes and keeps. `planName`: of the plan that is paid for now. */
export function WhatIsDeleted({ planName }: { planName: string | null }) {
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
        <li>Your name, photo, email address, password and connected accounts.</li>
        <li>Your sign-ins, on this device and all others.</li>
        <li>
          Your plan or promo code, and our notes on your payments. We tell Stripe to delete you as our
          customer.
        </li>
      </ul>
      <h2>What is kept</h2>
      <ul className="list">
        <li>Payment records at Stripe, for as long as tax law requires.</li>
        <li>
          That a promo code was used, when and for which plan, with a scrambled form of your email address and
          no name. That’s how a code works only once per person.
        </li>
        <li>
          Things not tied to your account: messages, until they’re settled, and your waitlist place, until you
          leave.
        </li>
      </ul>
    </>
  );
}
