import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { Column } from "../lists/list.tsx";
import { Moment } from "../moment.tsx";
import type { ListedRedemption } from "./list-redemptions.server.ts";

export const REDEMPTION_COLUMNS: Column<ListedRedemption>[] = [
  {
    header: "Who",
    cell: ({ userId, email, sameMailbox }) =>
      userId ? (
        <>
          <PageLink href={`/admin/people/${userId}`}>{email}</PageLink>
          {sameMailbox && (
            <>
              {" "}
              <span className="state" data-tone="bad">
                same mailbox as
              </span>{" "}
              <PageLink href={`/admin/people/${sameMailbox.id}`}>{sameMailbox.email}</PageLink>
            </>
          )}
        </>
      ) : (
        <span className="text-quiet">Account deleted</span>
      ),
  },
  { header: "Redeemed (UTC)", cell: ({ redeemedAt }) => <Moment instant={redeemedAt} /> },
  { header: "Plan", cell: ({ tier }) => PLAN_NAMES[tier] },
  { header: "Until (UTC)", cell: ({ expiresAt }) => <Moment instant={expiresAt} /> },
  { header: "State", cell: (row) => <RedemptionState {...row} /> },
];

function RedemptionState({ revokedAt, isOver }: Pick<ListedRedemption, "revokedAt" | "isOver">) {
  if (revokedAt)
    return (
      <span className="state" data-tone="bad">
        Revoked
      </span>
    );
  return (
    <span className="state" data-tone={isOver ? "quiet" : "good"}>
      {isOver ? "Over" : "Held"}
    </span>
  );
}
