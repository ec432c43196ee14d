import type { ReactNode } from "react";
import type { z } from "zod";
import { ButtonLink, SubmitButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { useFrame } from "../ui/frame.ts";
import { PostForm } from "../ui/post-form.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import { type FormAnswer, useRouteForm } from "../ui/route-form.ts";
import type { RequiredProof } from "./confirm-link.server.ts";
import { MISSING_PASSWORD, WRONG_PASSWORD } from "./credentials.ts";
import { PasswordField, PasswordOwner } from "./credentials-page.tsx";
import type { MailLinkPurpose } from "./messages.ts";

type ProofForm = z.ZodObject<{ password: z.ZodString }>;

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
  children: ReactNode;
}) {
  const { requiredProof, loginPath, owner, failure, label, pendingLabel, reloadDocument, children } = props;
  const field = failure === WRONG_PASSWORD || failure === MISSING_PASSWORD ? "password" : "";
  const answer: FormAnswer | undefined = failure
    ? { status: "error", error: { [field]: [failure] } }
    : undefined;
  const { form, fields, formProps } = useRouteForm<ProofForm>(answer, { id: "proof" });
  if (requiredProof === "login")
    return (
      <>
        {children}
        <p>You’ll come back to this page afterwards.</p>
        <ButtonLink href={loginPath}>Log in</ButtonLink>
      </>
    );
  if (requiredProof === "other login")
    return (
      <PostForm action="/logout" className="grid gap-5 justify-items-start">
        {children}
        <p>You’re signed in to a different account. Sign out, then open this link again.</p>
        <SubmitButton pendingLabel="Signing out…">Sign Out</SubmitButton>
      </PostForm>
    );
  return (
    <PostForm {...formProps} reloadDocument={reloadDocument} className="grid gap-5 w-full max-w-[27rem]">
      {!form.valid && <ErrorSummary title="Your email address isn’t confirmed yet" form={form} />}
      {children}
      {requiredProof === "password" && (
        <>
          {owner && <PasswordOwner email={owner} />}
          <PasswordField
            field={fields.password}
            label={owner ? "Password" : "Your account password"}
            hint="Signed in on another device? Open the link there, and you won’t need a password."
            autoComplete="current-password"
          />
        </>
      )}
      <SubmitButton pendingLabel={pendingLabel}>{label}</SubmitButton>
    </PostForm>
  );
}

const ADVICE: Record<MailLinkPurpose, string> = {
  verify_email: "If your email address isn’t confirmed yet, get a new link on your account page.",
  change_email: "Your account page shows your current email address. You can change it there.",
  reset_password: "If you still need a new password, get another link.",
};

export function DeadLink({ purpose }: { purpose: MailLinkPurpose }) {
  const { accountMark } = useFrame();
  return (
    <PrivatePage title="This link no longer works">
      <h1>This link no longer works</h1>
      <p>
        It was already used, replaced by a newer one, or has expired. If you copied it, part of it may be
        missing.
      </p>
      <p>{ADVICE[purpose]}</p>
      <div className="flex flex-wrap gap-4">
        {purpose === "reset_password" ? (
          <ButtonLink href="/forgot-password">Get a new reset link</ButtonLink>
        ) : (
          <ButtonLink href="/account">{accountMark ? "Go to your account" : "Log in"}</ButtonLink>
        )}
        <ButtonLink href="/contact" isQuiet>
          Contact Us
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
