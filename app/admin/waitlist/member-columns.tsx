import { PageLink } from "../../ui/page-link.tsx";
import type { QueuedMember } from "../../waitlist/order.server.ts";
import { EmailLink, formatCount, Moment, State } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { MAIL_WORDS } from "../mail/mail-words.ts";
import type { MemberRow } from "./member-list.server.ts";
import { STATES } from "./member-states.ts";

const EMAIL: Column<MemberRow> = {
  header: "Email address",
  isText: true,
  isPlain: true,
  cell: ({ email }) => <EmailLink email={email} />,
};

const NAME: Column<MemberRow> = {
  header: "Name",
  isText: true,
  isPlain: true,
  cell: ({ name }) => name && <bdi>{name}</bdi>,
};

const STATE: Column<MemberRow> = {
  header: "State",
  isPlain: true,
  cell: ({ state }) => <State {...STATES[state]} />,
};

const CODE: Column<MemberRow> = {
  header: "Code",
  cell: ({ code }) => code && <PageLink href={`/admin/codes/${code}`}>{code}</PageLink>,
};

export const MEMBER_COLUMNS: Column<MemberRow>[] = [
  { header: "Number", isNumber: true, cell: ({ number }) => number && formatCount(number) },
  EMAIL,
  NAME,
  STATE,
  { header: "Friends", isNumber: true, cell: (member) => member.friends > 0 && <Friends {...member} /> },
  {
    header: "Brought by",
    isText: true,
    cell: ({ referrer }) =>
      referrer && <PageLink href={`/admin/waitlist?by=${referrer.id}`}>{referrer.email}</PageLink>,
  },
  { header: "Uses today", isText: true, cell: ({ usesToday }) => usesToday && <bdi>{usesToday}</bdi> },
  { header: "Joined (UTC)", cell: ({ joinedAt }) => <Moment instant={joinedAt} isDay /> },
  {
    header: "Invited (UTC)",
    cell: ({ invitedAt, invitationId }) =>
      invitedAt && (
        <PageLink href={`/admin/waitlist/invitations/${invitationId}`}>
          <Moment instant={invitedAt} isDay />
        </PageLink>
      ),
  },
];

/** All of them wait. */
export const WAITING_COLUMNS = MEMBER_COLUMNS.filter((column) => column !== STATE);

export const INVITED_COLUMNS: Column<MemberRow>[] = [
  EMAIL,
  NAME,
  CODE,
  {
    header: "Email",
    cell: ({ mail }) =>
      mail && (
        <PageLink href={`/admin/mail/${mail.id}`}>
          <State {...MAIL_WORDS[mail.state]} />
        </PageLink>
      ),
  },
  {
    header: "State",
    isPlain: true,
    cell: ({ state }) => state !== "invited" && <State {...STATES[state]} />,
  },
  { header: "Invited (UTC)", isWide: true, cell: ({ invitedAt }) => <Moment instant={invitedAt} /> },
];

/** A member, or those left out between two of them. */
export type QueuedRow = QueuedMember | { id: string; from: number; to: number };

export function QueueTable(props: { label: string; members: readonly QueuedRow[] }) {
  const { label, members } = props;
  return <Table label={`Table: ${label}`} rows={members} columns={QUEUE_COLUMNS} keyOf={({ id }) => id} />;
}

const QUEUE_COLUMNS: Column<QueuedRow>[] = [
  { header: "Number", isNumber: true, cell: (row) => numberOf(row) },
  {
    header: "Email address",
    isText: true,
    isPlain: true,
    cell: (row) =>
      "email" in row ? (
        <EmailLink email={row.email} />
      ) : (
        <span className="text-quiet">{`${formatCount(row.to - row.from + 1)} more`}</span>
      ),
  },
  { header: "Friends", isNumber: true, cell: (row) => "email" in row && <Friends {...row} /> },
];

function numberOf(row: QueuedRow): string {
  if (!("email" in row)) {
    const [from, to] = [formatCount(row.from), formatCount(row.to)];
    return from === to ? from : `${from}–${to}`;
  }
  return row.number === null ? "Invited" : formatCount(row.number);
}

function Friends({ id, friends }: Pick<QueuedMember, "id" | "friends">) {
  return friends > 0 ? <PageLink href={`/admin/waitlist?by=${id}`}>{formatCount(friends)}</PageLink> : "0";
}
