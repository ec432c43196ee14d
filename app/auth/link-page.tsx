import { ButtonLink, SubmitButton } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import type { RequiredProof } from "./confirm-link.server.ts";
import { WRONG_PASSWORD } from "./credentials.ts";
import { PasswordInput, PasswordOwner } from "./credentials-page.tsx";
import type { MailLinkPurpose } from "./messages.ts";

/**
 * @param loginPath leads back here
 * @param owner for password managers; left out where the link must not reveal the address
 * @param reloadDocument sends it as a document, with and without scripts
 */
export function ConfirmForm(props: {
  requiredProof: RequiredProof;
  loginPath: string;
  owner?: string;
  failure: string | undefined;
  label: string;
  pendingLabel: string;
  reloadDocument?: boolean;
}) {
  const { requiredProof, loginPath, owner, failure, label, pendingLabel, reloadDocument } = props;
  if (requiredProof === "login")
    return (
      <>
        <p>You’ll come back to this page afterwards.</p>
        <ButtonLink href={loginPath}>Log in</ButtonLink>
      </>
    );
  if (requiredProof === "other login")
    return (
      <PostForm action="/logout" className="grid gap-5 justify-items-start">
        <p>You’re signed in to a different account. Sign out, then open this link again.</p>
        <SubmitButton pendingLabel="Signing out…">Sign Out</SubmitButton>
      </PostForm>
    );
  const isWrongPassword = failure === WRONG_PASSWORD;
  return (
    <PostForm noValidate reloadDocument={reloadDocument} className="grid gap-5 w-full max-w-[27rem]">
      {failure && (
        <div id="failure">
          <Notice tone="bad">
            {isWrongPassword ? <strong>We couldn’t confirm it’s you</strong> : failure}
          </Notice>
        </div>
      )}
      {requiredProof === "password" && (
        <div className="grid gap-1.5">
          {owner && <PasswordOwner email={owner} />}
          <label htmlFor="password" className="font-semibold">
            {owner ? "Password" : "Your account password"}
          </label>
          <p id="password-hint" className="text-quiet text-[0.9375rem]">
            Signed in on another device? Open the link there, no password needed.
          </p>
          <PasswordInput
            id="password"
            name="password"
            autoComplete="current-password"
            required
            maxLength={1000}
            aria-describedby={failure ? "failure password-error password-hint" : "password-hint"}
            aria-invalid={failure ? true : undefined}
          />
          {isWrongPassword && (
            <p id="password-error" className="text-coral font-semibold">
              {failure}
            </p>
          )}
        </div>
      )}
      <SubmitButton pendingLabel={pendingLabel}>{label}</SubmitButton>
    </PostForm>
  );
}

const ANOTHER: Record<MailLinkPurpose, { href: string; label: string; text: string }> = {
  verify_email: {
    href: "/account",
    label: "Go to your account",
    text: "If your email address isn’t confirmed yet, get a new link on your account page.",
  },
  change_email: {
    href: "/account",
    label: "Go to your account",
    text: "Your account page shows your current email address. You can change it there.",
  },
  reset_password: {
    href: "/forgot-password",
    label: "Get a new reset link",
    text: "If you still need a new password, get another link.",
  },
};

export function DeadLink({ purpose }: { purpose: MailLinkPurpose }) {
  const { href, label, text } = ANOTHER[purpose];
  return (
    <PrivatePage title="This link no longer works">
      <h1>This link no longer works</h1>
      <p>
        It was already used, replaced by a newer one, or has expired. If you copied it, part of it may be
        missing.
      </p>
      <p>{text}</p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href={href}>{label}</ButtonLink>
        <ButtonLink href="/contact" isQuiet>
          Contact Us
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
