import { Fragment } from "react";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { ConsolePart, Facts, Moment, State } from "../console-page.tsx";
import { ActionButton, ConfirmedAction } from "../press.tsx";
import type { PersonRead } from "./read-person.server.ts";

export function PersonFacts({ person, signIn, place, sameMailbox }: PersonRead) {
  return (
    <ConsolePart id="who" title="Account">
      <Facts
        facts={[
          (person.photoVersion || person.image) && ["Photo", <PersonPhoto key="photo" {...person} />],
          [
            "Email",
            person.emailVerified ? "Confirmed" : <State key="email" word="Not confirmed" tone="bad" />,
          ],
          [
            "Same mailbox",
            sameMailbox.length === 0
              ? "No other account"
              : sameMailbox.map(({ id, email }, index) => (
                  <Fragment key={id}>
                    {index > 0 && ", "}
                    <PageLink href={`/admin/people/${id}`}>{email}</PageLink>
                  </Fragment>
                )),
          ],
          ["Account ID", person.id],
          ["Signed up (UTC)", <Moment key="since" instant={person.createdAt} />],
          ["Signs in with", signIn.methods.join(", ") || "Nothing yet"],
          ["Two-step login", signIn.secondFactor.join(", ") || "Off"],
          ["Waitlist", place ? <Place key="place" {...place} /> : "Not on it with this address"],
        ]}
      />
    </ConsolePart>
  );
}

/** The photo they uploaded. One elsewhere is a link, so that its host learns nothing of the console. */
function PersonPhoto({ id, image, photoVersion }: PersonRead["person"]) {
  if (photoVersion)
    return (
      <img
        src={`/admin/people/${id}/photo?version=${photoVersion}`}
        alt="As uploaded"
        width={64}
        height={64}
      />
    );
  return image;
}

function Place({ joinedAt, confirmedAt, invitedAt }: NonNullable<PersonRead["place"]>) {
  return (
    <>
      Joined <Moment instant={joinedAt} />
      {confirmedAt ? ", confirmed" : ", not confirmed"}
      {invitedAt && (
        <>
          , invited <Moment instant={invitedAt} />
        </>
      )}
    </>
  );
}

export function AccountActions({ person, signIn, isSelf }: PersonRead & { isSelf: boolean }) {
  const below = `/admin/people/${person.id}`;
  return (
    <ConsolePart id="do" title="Support actions">
      <div className="console-presses">
        <ActionButton fields={{ do: "new_password" }} label="Send password reset link" />
        <PostForm action={`${below}/export`}>
          <SubmitButton isQuiet pendingLabel="Exporting…">
            Export their data
          </SubmitButton>
        </PostForm>
        {!isSelf && (
          <>
            <ConfirmedAction
              title="Sign out everywhere"
              fields={{ do: "sign_out" }}
              label="Sign them out now"
              isSafe
            >
              <p>
                They’re signed out on every device, and a pending change of their email address is dropped.
              </p>
            </ConfirmedAction>
            {signIn.hasSecondFactor && (
              <ConfirmedAction
                title="Turn off two-step login"
                fields={{ do: "remove_factor" }}
                reason="How you know it’s them"
                label="Turn it off now"
                pendingLabel="Turning off…"
              >
                <p>
                  For someone who lost their phone and their recovery codes. Make sure it’s them: after this,
                  their password or their mailbox is enough to sign in. They’re signed out everywhere and get
                  an email.
                </p>
              </ConfirmedAction>
            )}
          </>
        )}
        {!isSelf && (
          <ButtonLink href={`${below}/delete`} isDangerous>
            Delete the account
          </ButtonLink>
        )}
      </div>
      {isSelf && (
        <p className="text-quiet">
          This is your own account. Sign out elsewhere, change your second factor or delete it on your{" "}
          <PageLink href="/account">account page</PageLink>.
        </p>
      )}
    </ConsolePart>
  );
}
