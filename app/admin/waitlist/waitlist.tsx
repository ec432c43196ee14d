import { ButtonLink } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { listInvitations } from "../../waitlist/invite.server.ts";
import { waitlistMode } from "../../waitlist/join.server.ts";
import { countWaitlist, readTopReferrers } from "../../waitlist/order.server.ts";
import { lastDayOf } from "../../waitlist/rules.ts";
import { ConsolePage, ConsolePart, Figures, formatCount, Moment, State } from "../console-page.tsx";
import { readCounted } from "../lists/list.server.ts";
import { List } from "../lists/list.tsx";
import { isFiltered } from "../lists/list-query.ts";
import { type Column, Table } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/waitlist.ts";
import { giftOf } from "./invite-form.tsx";
import { MEMBER_COLUMNS, QueueTable, WAITING_COLUMNS } from "./member-columns.tsx";
import { MEMBERS } from "./member-list.server.ts";

const SHOWN = 5;

export async function loader(args: Route.LoaderArgs) {
  const { app, db } = await requireOperator(args);
  const query = MEMBERS.readQuery(new URL(args.request.url).searchParams);
  const [counts, referrers, invitations, page] = await Promise.all([
    countWaitlist(db),
    readTopReferrers(db, SHOWN),
    listInvitations(db, SHOWN),
    readCounted(db, MEMBERS, query),
  ]);
  return { query, counts, referrers, invitations, page, mode: waitlistMode(app).kind };
}

export default function WaitlistPage({ loaderData }: Route.ComponentProps) {
  const { query, counts, referrers, invitations, page, mode } = loaderData;
  return (
    <ConsolePage
      title="Waitlist"
      actions={counts.waiting > 0 && <ButtonLink href="/admin/waitlist/invite">Invite people</ButtonLink>}
    >
      {mode !== "form" && (
        <Notice tone="plain">
          {mode === "closed"
            ? "The waitlist is closed, because the site can’t send mail."
            : "The pages show another company’s waitlist. What is below is the site’s own."}
        </Notice>
      )}
      <Counts {...counts} />
      {referrers.length > 0 && (
        <ConsolePart id="referrers" title="Top referrers">
          <QueueTable label="Top referrers" members={referrers} />
        </ConsolePart>
      )}
      <ConsolePart id="invitations" title="Invitations">
        <Table
          label="Table of invitations"
          rows={invitations}
          columns={INVITATION_COLUMNS}
          keyOf={({ id }) => id}
          none="Nobody has been invited yet."
        />
      </ConsolePart>
      <ConsolePart id="members" title={titleOf(query)}>
        <List
          of="people"
          query={query}
          page={page}
          columns={isFiltered(query) ? MEMBER_COLUMNS : WAITING_COLUMNS}
          csv="/admin/waitlist.csv"
          filters={[
            { name: "email", label: "Email begins with" },
            {
              name: "state",
              label: "State",
              none: "Waiting",
              choices: { confirmed: "Confirmed", unconfirmed: "Not confirmed", all: "All" },
            },
          ]}
        />
      </ConsolePart>
    </ConsolePage>
  );
}

type Data = Route.ComponentProps["loaderData"];

function titleOf(query: Data["query"]): string {
  if (query.filters.by) return "Who joined by one member’s link";
  if (query.filters.invitation) return "Who is in one invitation";
  return isFiltered(query) ? "People found" : "Waiting, in order";
}

function Counts({ waiting, invited, used, unconfirmed }: Data["counts"]) {
  const orMore = ({ count, isMore }: typeof used) => `${isMore ? "more than " : ""}${formatCount(count)}`;
  return (
    <Figures
      figures={[
        ["Waiting", formatCount(waiting), "Confirmed, and not invited yet"],
        ["Invited", formatCount(invited), "Were emailed a code"],
        ["Used their code", orMore(used), "Of those invited"],
        ["Not confirmed yet", orMore(unconfirmed), "Can’t be invited until they confirm"],
      ]}
    />
  );
}

const INVITATION_COLUMNS: Column<Data["invitations"][number]>[] = [
  {
    header: "Invited (UTC)",
    cell: ({ id, createdAt }) => (
      <PageLink href={`/admin/waitlist/invitations/${id}`}>
        <Moment instant={createdAt} />
      </PageLink>
    ),
  },
  { header: "People", isNumber: true, cell: ({ size }) => formatCount(size) },
  {
    header: "State",
    isPlain: true,
    cell: ({ finishedAt }) =>
      finishedAt ? <State word="Emailed" tone="good" /> : <State word="Being emailed" />,
  },
  { header: "Each code gives", cell: giftOf },
  { header: "Last day (UTC)", cell: (invitation) => lastDayOf(invitation) ?? "None" },
];
