import type { ReactNode } from "react";
import { Address } from "../auth/unverified-notice.tsx";
import { PageLink } from "../ui/page-link.tsx";

/** How the account is signed in to, and where that is changed. */
export function SignInLines(props: {
  person: { email: string; emailVerified: boolean };
  hasPassword: boolean;
  hasSecondFactor: boolean;
  connected: string[];
  sessionCount: number;
}) {
  const { person, hasPassword, hasSecondFactor, connected, sessionCount } = props;
  return (
    <dl>
      <AccountLine name="Email address" href="/account/email" verb="Change" what="email address">
        <div>
          <Address email={person.email} />
        </div>
        <div className="text-quiet">{person.emailVerified ? "Confirmed" : "Not confirmed"}</div>
      </AccountLine>
      <AccountLine
        name="Password"
        href="/account/password"
        verb={hasPassword ? "Change" : "Set"}
        what="password"
      >
        {hasPassword ? "Set" : "Not set"}
      </AccountLine>
      <AccountLine
        name="Two-step login"
        href="/account/second-factor"
        verb={hasSecondFactor ? "Manage" : "Set up"}
        what="two-step login"
      >
        {hasSecondFactor ? "On" : "Off"}
      </AccountLine>
      <AccountLine
        name="Connected accounts"
        href="/account/connections"
        verb="Manage"
        what="connected accounts"
      >
        {connected.join(", ") || "None"}
      </AccountLine>
      <AccountLine name="Devices" href="/account/sessions" verb="Manage" what="devices">
        {sessionCount === 1 ? "This device only" : `${sessionCount} devices`}
      </AccountLine>
    </dl>
  );
}

export function AccountLine(props: {
  name: string;
  href: string;
  verb: string;
  what?: string;
  children: ReactNode;
}) {
  const { name, href, verb, what, children } = props;
  return (
    <div className="account-line">
      <dt>{name}</dt>
      <dd>{children}</dd>
      <dd>
        <PageLink href={href} className="inline-flex items-center min-h-11">
          {verb}
          {what && (
            <>
              {" "}
              <span className="sr-only">{what}</span>
            </>
          )}
        </PageLink>
      </dd>
    </div>
  );
}
