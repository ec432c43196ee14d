import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { Invitation } from "../../waitlist/invite.server.ts";
import { freeTime, lastDayOf } from "../../waitlist/rules.ts";
import { Moment } from "../moment.tsx";
import { TableFrame } from "../table-frame.tsx";

/** The latest invitations. */
export function InvitationTable({ invitations }: { invitations: readonly Invitation[] }) {
  if (invitations.length === 0) return <p className="text-quiet">Nobody has been invited yet.</p>;
  return (
    <TableFrame label="Table of invitations">
      <table>
        <thead>
          <tr>
            <th>Invited (UTC)</th>
            <th className="number">People</th>
            <th>State</th>
            <th>Each code gives</th>
            <th>Until the end of</th>
          </tr>
        </thead>
        <tbody>
          {invitations.map((invitation) => (
            <tr key={invitation.id}>
              <td>
                <PageLink href={`/admin/waitlist/invitations/${invitation.id}`}>
                  <Moment instant={invitation.createdAt} />
                </PageLink>
              </td>
              <td className="number">{invitation.size.toLocaleString("en-US")}</td>
              <td>
                <span className="state" data-tone={invitation.finishedAt ? "good" : undefined}>
                  {invitation.finishedAt ? "Written to" : "Being written to"}
                </span>
              </td>
              <td>
                {freeTime(invitation)} of {PLAN_NAMES[invitation.tier]}
              </td>
              <td>{lastDayOf(invitation) ?? "No end"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
