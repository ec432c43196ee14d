import { Notice } from "../../ui/notice.tsx";
import { useSite } from "../../ui/site.ts";

/** What deleting the account ends, deletes and keeps. `planName`: of the plan that is paid for now. */
export function WhatIsDeleted({ planName }: { planName: string | null }) {
  const { supportEmail } = useSite();
  return (
    <>
      <p>
        This cannot be undone. You may want to <a href="/account/export">download your data</a> first.
      </p>
      {planName && (
        <Notice tone="plain">
          <p className="font-semibold">{`${planName} ends at once, and nothing more is charged.`}</p>
          <p>
            What you have paid does not come back by itself. Write to{" "}
            <a href={`mailto:${supportEmail}`}>{supportEmail}</a> within 14 days of your latest payment, and
            you get that payment back in full.
          </p>
        </Notice>
      )}
      <h2>What is deleted</h2>
      <ul className="list">
        <li>Your name, photo, address, password and connected accounts.</li>
        <li>Everything that is signed in to the account, here and elsewhere.</li>
        <li>
          Your plan or promo code, and our notes of your payments. Stripe is told to delete you as our
          customer.
        </li>
      </ul>
      <h2>What is kept</h2>
      <ul className="list">
        <li>The records of payments at Stripe, for as long as tax law asks.</li>
        <li>
          That a promo code was used, when, and for which plan, with a scrambled form of your email address
          but without your name: so that a code works once per person.
        </li>
        <li>
          What you sent or joined without the account: messages until they are settled, and a place on the
          waitlist until you leave it.
        </li>
      </ul>
    </>
  );
}
