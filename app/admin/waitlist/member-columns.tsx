import { PageLink } from "../../ui/page-link.tsx";
import type { Column } from "../lists/list.tsx";
import { Moment } from "../moment.tsx";
import type { MemberRow, MemberState } from "./member-list.server.ts";

const STATES: Record<MemberState, { word: string; tone: "good" | "quiet" | undefined }> = {
  unconfirmed: { word: "Not confirmed", tone: "quiet" },
  waiting: { word: "Waiting", tone: undefined },
  picked: { word: "Being invited", tone: undefined },
  invited: { word: "Invited", tone: "good" },
  redeemed: { word: "Code used", tone: "good" },
};

export const stateInWords = (state: MemberState): string => STATES[state].word;

const EMAIL: Column<MemberRow> = {
  header: "Email address",
  cell: ({ email, name }) => (
    <>
      {email}
      {name && <bdi className="text-quiet block">{name}</bdi>}
    </>
  ),
};

const STATE: Column<MemberRow> = {
  header: "State",
  cell: ({ state }) => (
    <span className="state" data-tone={STATES[state].tone}>
      {STATES[state].word}
    </span>
  ),
};

const CODE: Column<MemberRow> = {
  header: "Code",
  cell: ({ code }) => (code ? <PageLink href={`/admin/codes/${code}`}>{code}</PageLink> : ""),
};

/** Everybody on the list. */
export const MEMBER_COLUMNS: Column<MemberRow>[] = [
  EMAIL,
  STATE,
  { header: "Number", cell: ({ number }) => number?.toLocaleString("en-US") ?? "", isNumber: true },
  {
    header: "Friends",
    cell: ({ id, friends }) =>
      friends > 0 ? (
        <PageLink href={`/admin/waitlist?by=${id}`}>{friends.toLocaleString("en-US")}</PageLink>
      ) : (
        "0"
      ),
    isNumber: true,
  },
  {
    header: "Brought by",
    cell: ({ referrer }) =>
      referrer ? <PageLink href={`/admin/waitlist?by=${referrer.id}`}>{referrer.email}</PageLink> : "",
  },
  { header: "Uses today", cell: ({ usesToday }) => <bdi>{usesToday}</bdi> },
  { header: "Joined (UTC)", cell: ({ joinedAt }) => <Moment instant={joinedAt} />, sort: "joined" },
  { header: "Confirmed (UTC)", cell: ({ confirmedAt }) => <Moment instant={confirmedAt} /> },
  {
    header: "Invited (UTC)",
    cell: ({ invitedAt, invitationId }) =>
      invitedAt ? (
        <PageLink href={`/admin/waitlist/invitations/${invitationId}`}>
          <Moment instant={invitedAt} />
        </PageLink>
      ) : (
        ""
      ),
  },
];

/** Those of one invitation. */
export const INVITED_COLUMNS: Column<MemberRow>[] = [
  EMAIL,
  STATE,
  CODE,
  { header: "Invited (UTC)", cell: ({ invitedAt }) => <Moment instant={invitedAt} /> },
];
