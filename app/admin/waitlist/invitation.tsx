import { data } from "react-router";
import { PageLink } from "../../ui/page-link.tsx";
import { readInvitation } from "../../waitlist/invite.server.ts";
import { ConsolePage, ConsolePart, Facts, formatCount, Moment, Progress, State } from "../console-page.tsx";
import { readCounted } from "../lists/list.server.ts";
import { List } from "../lists/list.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/invitation.ts";
import { codeFacts } from "./invite-form.tsx";
import { INVITED_COLUMNS } from "./member-columns.tsx";
import { countUndelivered, MEMBERS } from "./member-list.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireOperator(args);
  const id = args.params.invitation;
  const invitation = await readInvitation(db, id);
  if (!invitation) throw data(null, { status: 404 });
  const { searchParams } = new URL(args.request.url);
  searchParams.set("invitation", id);
  const query = MEMBERS.readQuery(searchParams);
  const [page, undelivered] = await Promise.all([readCounted(db, MEMBERS, query), countUndelivered(db, id)]);
  return { invitation, undelivered, query, page };
}

export default function InvitationPage({ loaderData }: Route.ComponentProps) {
  const { invitation, undelivered, query, page } = loaderData;
  const { id, size, written, left, redeemed, createdAt } = invitation;
  const gone = size - written - left;
  return (
    <ConsolePage
      title={`${size === 1 ? "1 person" : `${formatCount(size)} people`} invited`}
      above={{ href: "/admin/waitlist", label: "Waitlist" }}
    >
      {left > 0 && (
        <Progress
          title="Emailing them"
          words={`${formatCount(written)} of ${formatCount(size - gone)} emailed`}
          value={size - left}
          max={size}
        />
      )}
      <ConsolePart id="facts" title="The invitation">
        <Facts
          facts={[
            ["Begun (UTC)", <Moment key="begun" instant={createdAt} />],
            ...codeFacts(invitation),
            ["Have their code", formatCount(written)],
            undelivered > 0 && [
              "Not delivered",
              <State
                key="undelivered"
                word={`${formatCount(undelivered)} of ${formatCount(written)} mails`}
                tone="bad"
              />,
            ],
            ["Used", `${formatCount(redeemed)} of ${formatCount(written)}`],
            ["Have left the list", formatCount(gone)],
          ]}
        />
        <p className="console-links">
          <PageLink href={`/admin/log?subject=waitlist_invitation:${id}`}>See in the audit log</PageLink>
        </p>
      </ConsolePart>
      <ConsolePart id="people" title="Who is in it">
        <List
          of="people"
          query={query}
          page={page}
          columns={INVITED_COLUMNS}
          csv={`/admin/waitlist/invitations/${id}/people.csv`}
        />
      </ConsolePart>
    </ConsolePage>
  );
}
