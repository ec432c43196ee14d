import { data } from "react-router";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { readInvitation, readInvitationBefore } from "../../waitlist/invite.server.ts";
import {
  ConsolePage,
  ConsolePart,
  EmailLink,
  Facts,
  Figures,
  formatCount,
  Moment,
  Progress,
  State,
} from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { readCounted } from "../lists/list.server.ts";
import { List } from "../lists/list.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/invitation.ts";
import { codeFacts } from "./invite-form.tsx";
import { INVITED_COLUMNS } from "./member-columns.tsx";
import { MEMBERS, readUndelivered } from "./member-list.server.ts";

const FLASHES: Flashes = {
  invited: ["good", "Invited. Each gets an email with a code of their own; see the progress below."],
};

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireOperator(args);
  const id = args.params.invitation;
  const invitation = await readInvitation(db, id);
  if (!invitation) throw data(null, { status: 404 });
  const { searchParams } = new URL(args.request.url);
  searchParams.set("invitation", id);
  const query = MEMBERS.readQuery(searchParams);
  const [page, undelivered, before] = await Promise.all([
    readCounted(db, MEMBERS, query),
    readUndelivered(db, id),
    readInvitationBefore(db, invitation),
  ]);
  return { invitation, undelivered, before, query, page };
}

type Undelivered = Route.ComponentProps["loaderData"]["undelivered"]["first"][number];

const UNDELIVERED: Column<Undelivered>[] = [
  { header: "Email address", isText: true, cell: ({ email }) => <EmailLink email={email} /> },
  { header: "Why", isText: true, isPlain: true, cell: ({ mail }) => mail.failure },
  {
    header: "Email",
    isPlain: true,
    cell: ({ mail }) => <PageLink href={`/admin/mail/${mail.id}`}>See delivery</PageLink>,
  },
];

const percentOf = (part: number, all: number) => (all === 0 ? "–" : `${Math.round((100 * part) / all)}%`);

export default function InvitationPage({ loaderData }: Route.ComponentProps) {
  const { invitation, undelivered, before, query, page } = loaderData;
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
      <Figures
        figures={[
          ["Emailed", formatCount(written - undelivered.count), `of ${formatCount(size)} invited`],
          [
            "Used their code",
            percentOf(redeemed, written),
            before
              ? `${formatCount(redeemed)} of ${formatCount(written)}; ${percentOf(before.redeemed, before.written)} of the invitation before`
              : `${formatCount(redeemed)} of ${formatCount(written)}`,
          ],
          [
            "Not delivered",
            <State
              key="undelivered"
              word={formatCount(undelivered.count)}
              tone={undelivered.count > 0 ? "bad" : undefined}
            />,
            `of ${formatCount(written)} emails`,
          ],
        ]}
      />
      <div className="console-parts">
        {undelivered.count > 0 && (
          <ConsolePart id="undelivered" title="Not delivered">
            <Table
              label="Table of emails not delivered"
              rows={undelivered.first}
              columns={UNDELIVERED}
              keyOf={({ email }) => email}
            />
            {undelivered.count > undelivered.first.length && (
              <p>{`And ${formatCount(undelivered.count - undelivered.first.length)} more.`}</p>
            )}
          </ConsolePart>
        )}
        <ConsolePart id="facts" title="The invitation">
          <Facts
            facts={[
              ["Started (UTC)", <Moment key="begun" instant={createdAt} />],
              ...codeFacts(invitation),
              ["Left the list", formatCount(gone)],
            ]}
          />
          <p className="console-links">
            <PageLink href={`/admin/log?subject=waitlist_invitation:${id}`}>See in the audit log</PageLink>
          </p>
        </ConsolePart>
      </div>
      <ConsolePart id="people" title="People invited">
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
