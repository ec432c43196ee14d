import type { ReactNode } from "react";
import { LabelledLine } from "../../ui/labelled-line.tsx";
import { PrivatePage } from "../../ui/private-page.tsx";

/** The frame of the pages below /account. */
export function AccountPage(props: { title: string; text: string; label: string; children: ReactNode }) {
  const { title, text, label, children } = props;
  return (
    <PrivatePage title={title}>
      <LabelledLine text={text} label={label} />
      <h1>{title}</h1>
      {children}
      <p>
        <a href="/account" className="inline-flex items-center min-h-11">
          Back to your account
        </a>
      </p>
    </PrivatePage>
  );
}

/** Tells password managers whose password the next field takes. */
export function PasswordOwner({ email }: { email: string }) {
  return <input type="text" autoComplete="username" value={email} readOnly hidden />;
}
