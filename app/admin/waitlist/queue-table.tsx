import type { QueuedMember } from "../../waitlist/overview.server.ts";

/** A few members in their order, without more pages. */
export function QueueTable(props: { label: string; members: readonly QueuedMember[]; none: string }) {
  const { label, members, none } = props;
  if (members.length === 0) return <p className="text-quiet">{none}</p>;
  return (
    // Focusable, so that a keyboard can scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable (WCAG 2.1.1)
    <section className="console-table" aria-label={`Table: ${label}`} tabIndex={0}>
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
              <td className="number">{number > 0 ? number.toLocaleString("en-US") : "invited"}</td>
              <td className="number">
                {friends > 0 ? (
                  <a href={`/admin/waitlist?by=${id}`}>{friends.toLocaleString("en-US")}</a>
                ) : (
                  "0"
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
