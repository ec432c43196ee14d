import { AccountLine } from "./account-line.tsx";
import { Address } from "./address.tsx";

/** How the account is signed in to, and where that is changed. */
export function SignInLines(props: {
  person: { email: string; emailVerified: boolean };
  hasPassword: boolean;
  connected: string[];
  sessionCount: number;
}) {
  const { person, hasPassword, connected, sessionCount } = props;
  return (
    <dl>
      <AccountLine name="Email address" href="/account/email" verb="Change" what="email address">
        <div>
          <Address email={person.email} />
        </div>
        <span className="label font-semibold" data-blank={person.emailVerified ? undefined : ""}>
          {person.emailVerified ? "confirmed" : "not confirmed"}
        </span>
      </AccountLine>
      <AccountLine
        name="Password"
        href="/account/password"
        verb={hasPassword ? "Change" : "Set"}
        what="password"
      >
        <span className="label font-semibold" data-blank={hasPassword ? undefined : ""}>
          {hasPassword ? "set" : "not set"}
        </span>
      </AccountLine>
      <AccountLine
        name="Connected accounts"
        href="/account/connections"
        verb="Change"
        what="connected accounts"
      >
        {connected.join(", ") || "none"}
      </AccountLine>
      <AccountLine name="Signed in on" href="/account/sessions" verb="See" what="sessions">
        {sessionCount === 1 ? "this device only" : `${sessionCount} devices`}
      </AccountLine>
    </dl>
  );
}
