import { DialogLink } from "../../ui/dialog.tsx";
import { FormattedDate, FormattedDue } from "../../ui/formatted-date.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { formatMoney } from "../plans.ts";
import { InvoiceList } from "./invoice-list.tsx";
import { PortalButton } from "./plan-notice.tsx";
import {
  type InvoiceLine,
  isDue,
  type PlanAndPayments,
  type PlanWithRefunds,
  refundedOf,
  situationOf,
} from "./plan-overview.ts";
import { type RefundData, RefundForm } from "./refund-form.tsx";

export function PaymentsSection({ plan, card, invoices, hasMoreInvoices }: PlanAndPayments) {
  const situation = situationOf(plan);
  const billing = invoices.length > 0 && <PortalButton to="billing">Billing address</PortalButton>;
  return (
    <section className="part" aria-labelledby="payments">
      <h2 id="payments">Payments</h2>
      {situation !== "ended" && (
        <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-3">
          <p>{card ? `${card.brand} ending in ${card.last4}, ${card.expires}` : "No card is on file."}</p>
          <div className="flex flex-wrap gap-4">
            {!isDue(plan) && !plan.expiringCard && (
              <PortalButton to="card">{card ? "Update card" : "Add a card"}</PortalButton>
            )}
            {billing}
          </div>
        </div>
      )}
      {invoices.map(
        ({ id, refundNotice }) =>
          refundNotice && (
            <Notice key={id} tone="bad">
              {refundNotice}
            </Notice>
          ),
      )}
      <h3 id="invoices" className="pt-3">
        Invoices and receipts
      </h3>
      {invoices.length === 0 ? (
        <p>None yet. Each payment’s receipt will be here.</p>
      ) : (
        <InvoiceList invoices={invoices} />
      )}
      {hasMoreInvoices && (
        <PageLink href="/subscription/invoices" className="inline-flex items-center min-h-11">
          All invoices
        </PageLink>
      )}
      {situation === "ended" && billing}
      {situation !== "ended" && situation !== "refunding" && <MoneyBack plan={plan} />}
    </section>
  );
}

function MoneyBack({ plan: { name, refundable, withdrawUntil, price } }: { plan: PlanWithRefunds }) {
  if (!refundable && !withdrawUntil) return null;
  return (
    <>
      {refundable && (
        <p>
          You can get your {formatMoney(refundable.total, price.currency)} back
          {refundable.until ? (
            <>
              {" "}
              until <FormattedDue instant={refundable.until} />
            </>
          ) : (
            " any time before launch"
          )}
          . That ends your plan.{" "}
          <DialogLink<RefundData> href="/subscription/refund" title={`Refund ${name}`} label="Get a refund">
            {(data, close) => <RefundForm {...data} close={close} />}
          </DialogLink>
        </p>
      )}
      {withdrawUntil && (
        <details>
          <summary className="folded">Right to withdraw (EU, EEA, UK)</summary>
          <p>
            <PageLink href="/subscription/withdraw">Withdraw from contract here</PageLink> until{" "}
            <FormattedDue instant={new Date(withdrawUntil.getTime() - 1)} />.
          </p>
        </details>
      )}
    </>
  );
}

export function EndedPlan({ plan, invoices }: { plan: PlanWithRefunds; invoices: InvoiceLine[] }) {
  const isOwed = plan.applying === "refund" || plan.applying === "withdraw";
  const refunded = refundedOf(plan, invoices);
  return (
    <p>
      {plan.name} ended{plan.endedAt && " on "}
      {plan.endedAt && <FormattedDate instant={plan.endedAt} />}, and nothing more will be charged.
      {isOwed && " Your money is on its way back."}
      {refunded > 0 &&
        !isOwed &&
        ` ${formatMoney(refunded, plan.price.currency)} went back the way you paid; banks take up to ten days to show it.`}
    </p>
  );
}
