import { formatMoney } from "../../billing/plans.ts";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Facts } from "../console-page.tsx";
import type { readSender } from "./read-sender.server.ts";

export function Sender({ sender }: { sender: Awaited<ReturnType<typeof readSender>> }) {
  if (!sender) return <p className="text-quiet">No account has this address.</p>;
  return (
    <Facts
      facts={[
        [
          "Account",
          <PageLink key="account" href={`/admin/people/${sender.id}`}>
            {sender.tier ? `Has ${PLAN_NAMES[sender.tier]}` : "Has no plan"}
          </PageLink>,
        ],
        sender.invoices.length > 0 && [
          sender.invoices.length === 1 ? "Last invoice" : "Last invoices",
          sender.invoices.map(({ id, number, createdAt, total, currency, status, amountRefunded }) => (
            <span key={id} className="block">
              {number ?? id}, {createdAt.toISOString().slice(0, 10)}: {formatMoney(total, currency)}, {status}
              {amountRefunded > 0 && `, ${formatMoney(amountRefunded, currency)} refunded`}
            </span>
          )),
        ],
      ]}
    />
  );
}
