import type { ReactNode } from "react";
import { PageLink } from "../../ui/page-link.tsx";
import { PrivatePage } from "../../ui/private-page.tsx";

/** The frame of the pages below /account. */
export function AccountPage(props: { title: string; children: ReactNode }) {
  const { title, children } = props;
  return (
    <PrivatePage title={title}>
      <h1>{title}</h1>
      {children}
      <p>
        <PageLink href="/account" className="inline-flex items-center min-h-11">
          Back to your account
        </PageLink>
      </p>
    </PrivatePage>
  );
}

/** Tells password managers whose password the next field takes. */
export function PasswordOwner({ email }: { email: string }) {
  return <input type="text" autoComplete="username" value={email} readOnly hidden />;
}
