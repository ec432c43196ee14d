import { SubmitButton } from "../ui/button.tsx";
import { MailboxLink } from "../ui/mailbox-link.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";

export function UnverifiedNotice({ email, before }: { email: string; before?: string }) {
  return (
    <section
      aria-labelledby="unverified"
      className="border-l-[6px] border-label bg-sheet px-4 py-3 w-full grid gap-3"
    >
      <h2 id="unverified" className="text-[1.35rem]">
        Confirm your email address{before && ` before ${before}`}
      </h2>
      <p>
        We sent a link to{" "}
        <strong className="[overflow-wrap:anywhere]">
          <Address email={email} />
        </strong>
        . Open it and press the button. Wrong email address?{" "}
        <PageLink href="/account/email">Change it</PageLink>.
      </p>
      <MailboxLink />
      <PostForm action="/verify-email/sent">
        <SubmitButton isQuiet pendingLabel="Sending…">
          Send the email again
        </SubmitButton>
      </PostForm>
    </section>
  );
}

/** Wraps before its domain. */
export function Address({ email }: { email: string }) {
  const domainAt = email.lastIndexOf("@") + 1;
  return (
    <>
      {email.slice(0, domainAt)}
      <wbr />
      {email.slice(domainAt)}
    </>
  );
}
