import { Fragment } from "react";
import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePart, Facts } from "../console-page.tsx";
import { Moment } from "../moment.tsx";
import type { PersonRead } from "./read-person.server.ts";

/** Who somebody is, how they sign in, and since when. */
export function PersonFacts({ person, signIn, place, sameMailbox }: PersonRead) {
  return (
    <ConsolePart id="who" title="Account">
      <Facts
        facts={[
          ["Name", <bdi key="name">{person.name || "–"}</bdi>],
          [
            "Email",
            <Fragment key="email">
              {person.email}{" "}
              <span className="state" data-tone={person.emailVerified ? "quiet" : "bad"}>
                {person.emailVerified ? "confirmed" : "not confirmed"}
              </span>
            </Fragment>,
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
          ["Number", person.id],
          ["Signed up", <Moment key="since" instant={person.createdAt} />],
          ["Signs in with", signIn.methods.join(", ") || "Nothing yet"],
          ["Two-step login", signIn.secondFactor.join(", ") || "Off"],
          [
            "Signed in",
            signIn.sessions === 0 ? (
              "Nowhere"
            ) : (
              <>
                On {signIn.sessions} {signIn.sessions === 1 ? "device" : "devices"}, last seen{" "}
                <Moment instant={signIn.lastSeen} />
              </>
            ),
          ],
          ["Waitlist", place ? <Place key="place" {...place} /> : "Not on it with this address"],
        ]}
      />
    </ConsolePart>
  );
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
