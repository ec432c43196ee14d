/** Says that an address is not confirmed, what that keeps from its owner, and has the mail sent again. */
export function UnverifiedNotice({ email }: { email: string }) {
  return (
    <section
      aria-labelledby="unverified"
      className="border-l-[6px] border-label bg-sheet px-4 py-3 w-full grid gap-3"
    >
      <h2 id="unverified" className="text-[1.25rem]">
        Confirm your email address
      </h2>
      <p>
        We sent a mail to <strong className="[overflow-wrap:anywhere]">{email}</strong>. Open it and press its
        button. Until then you cannot connect Google or Facebook. Is the address wrong?{" "}
        <a href="/account/email">Change it</a>.
      </p>
      <form method="post" action="/verify-email">
        <button type="submit" className="button" data-quiet>
          Send the mail again
        </button>
      </form>
    </section>
  );
}
