import { PageLink } from "../../ui/page-link.tsx";
import type { QueuedMember } from "../../waitlist/order.server.ts";
import { TableFrame } from "../table-frame.tsx";

/** A few members in their order, without more pages. */
export function QueueTable(props: { label: string; members: readonly QueuedMember[]; none: string }) {
  const { label, members, none } = props;
  if (members.length === 0) return <p className="text-quiet">{none}</p>;
  return (
    <TableFrame label={`Table: ${label}`}>
      <table>
        <thead>
          <tr>
            <th>Email address</th>
            <th className="number">Number</th>
            <th className="number">Friends</th>
          </tr>
        </thead>
        <tbody>
          {members.map(({ id, email, number, friends }) => (
            <tr key={id}>
              <td>{email}</td>
              <td className="number">{number?.toLocaleString("en-US") ?? "invited"}</td>
              <td className="number">
                {friends > 0 ? (
                  <PageLink href={`/admin/waitlist?by=${id}`}>{friends.toLocaleString("en-US")}</PageLink>
                ) : (
                  "0"
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
