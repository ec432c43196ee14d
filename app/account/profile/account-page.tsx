import type { ReactNode } from "react";
import { LabelledLine } from "../../ui/labelled-line.tsx";
import { PrivatePage } from "../../ui/private-page.tsx";

/** The frame of the pages that each change one thing of an account. */
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

/** Whose password the field after it is for, as password managers look for it. */
export function PasswordOwner({ email }: { email: string }) {
  return <input type="text" autoComplete="username" value={email} readOnly hidden />;
}
