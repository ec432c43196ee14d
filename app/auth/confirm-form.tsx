import { ButtonLink, SubmitButton } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { PostForm } from "../ui/post-form.tsx";
import type { ProofAsked } from "./account-proof.server.ts";
import { PasswordInput } from "./password-field.tsx";

/**
 * The form behind a link in a mail that confirms an address.
 *
 * @param loginPath the sign-in page, with the way back here
 * @param owner the account's address, for password managers; left out where the link must not reveal it
 * @param reloadDocument send it by the browser, with and without scripts
 */
export function ConfirmForm(props: {
  asked: ProofAsked;
  loginPath: string;
  owner?: string;
  failure: string | undefined;
  label: string;
  pendingLabel: string;
  reloadDocument?: boolean;
}) {
  const { asked, loginPath, owner, failure, label, pendingLabel, reloadDocument } = props;
  if (asked === "login") return <LogIn href={loginPath} />;
  if (asked === "other login") return <SignOutFirst />;
  return (
    <PostForm noValidate reloadDocument={reloadDocument} className="grid gap-5 w-full max-w-[27rem]">
      {failure && (
        <div id="failure">
          <Notice tone="bad">{failure}</Notice>
        </div>
      )}
      {asked === "password" && (
        <div className="grid gap-1.5">
          {owner && <input type="text" autoComplete="username" value={owner} readOnly hidden />}
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
            aria-describedby={failure ? "failure password-hint" : "password-hint"}
            aria-invalid={failure ? true : undefined}
          />
        </div>
      )}
      <SubmitButton pendingLabel={pendingLabel}>{label}</SubmitButton>
    </PostForm>
  );
}

function LogIn({ href }: { href: string }) {
  return (
    <>
      <p>You’ll come back to this page afterwards.</p>
      <ButtonLink href={href}>Log in</ButtonLink>
    </>
  );
}

function SignOutFirst() {
  return (
    <PostForm action="/logout" className="grid gap-5 justify-items-start">
      <p>You’re signed in to a different account. Sign out, then open this link again.</p>
      <SubmitButton pendingLabel="Signing out…">Sign Out</SubmitButton>
    </PostForm>
  );
}
