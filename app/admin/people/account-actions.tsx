import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { ConsolePart } from "../console-page.tsx";
import type { PersonRead } from "./read-person.server.ts";
import { ReasonField } from "./reason-field.tsx";

/** What an operator may do with an account when its owner asks for it. */
export function AccountActions({ person, signIn, isSelf }: PersonRead & { isSelf: boolean }) {
  const below = `/admin/people/${person.id}`;
  return (
    <ConsolePart id="do" title="When they ask">
      <div className="console-actions">
        {!person.emailVerified && <Press what="confirmation" label="Send the link to confirm again" />}
        <Press what="new_password" label="Send a link for a new password" />
        <PostForm action={`${below}/export`}>
          <SubmitButton isQuiet pendingLabel="Exporting…">
            Export their data
          </SubmitButton>
        </PostForm>
        {!isSelf && (
          <>
            <details>
              <summary>Sign out everywhere</summary>
              <p>They’re signed out on every device, and a change of address that waits is dropped.</p>
              <Press what="sign_out" label="Sign them out now" />
            </details>
            {signIn.hasSecondFactor && <RemoveFactor />}
            <ButtonLink href={`${below}/delete`} isQuiet>
              Delete the account
            </ButtonLink>
          </>
        )}
      </div>
      {isSelf && (
        <p className="text-quiet">
          This is your own account. You sign out elsewhere, change your second factor and delete it on your{" "}
          <PageLink href="/account">account page</PageLink>.
        </p>
      )}
    </ConsolePart>
  );
}

function RemoveFactor() {
  return (
    <details>
      <summary>Turn off two-step login</summary>
      <PostForm action="?" className="console-form">
        <p>
          For somebody who lost their phone and their recovery codes. Be sure it is them: after this their
          password or their mailbox is enough to sign in. They’re signed out everywhere and get an email.
        </p>
        <input type="hidden" name="do" value="remove_factor" />
        <div className="grid gap-1.5">
          <ReasonField id="factor-reason" label="How you know it is them, without naming them" />
        </div>
        <SubmitButton isDangerous pendingLabel="Turning off…">
          Turn it off now
        </SubmitButton>
      </PostForm>
    </details>
  );
}

function Press({ what, label }: { what: string; label: string }) {
  return (
    <PostForm action="?">
      <input type="hidden" name="do" value={what} />
      <SubmitButton isQuiet pendingLabel="One moment…">
        {label}
      </SubmitButton>
    </PostForm>
  );
}
