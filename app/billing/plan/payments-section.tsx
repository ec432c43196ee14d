import { DialogLink } from "../../ui/dialog.tsx";
import { FormattedDate, FormattedEnd } from "../../ui/formatted-date.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { formatMoney } from "../plans.ts";
import { PortalButton } from "./plan-notice.tsx";
import { type Card, type InvoiceLine, type PlanOverview, situationOf } from "./plan-overview.ts";
import { type RefundData, RefundForm } from "./refund-form.tsx";

/** The card on file, the invoices, and the ways to get money back. */
export function PaymentsSection(props: {
  plan: PlanOverview;
  card: Card | null;
  invoices: InvoiceLine[];
  hasMoreInvoices: boolean;
}) {
  const { plan, card, invoices, hasMoreInvoices } = props;
  const situation = situationOf(plan);
  return (
    <section className="part" aria-labelledby="payments">
      <h2 id="payments">Payments</h2>
      {situation !== "ended" && (
        <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-3">
          {card ? <CardOnFile card={card} /> : <p>No card is on file.</p>}
          <PortalButton to="card">{card ? "Update card" : "Add a card"}</PortalButton>
        </div>
      )}
      <h3 id="invoices">Invoices and receipts</h3>
      {invoices.length === 0 ? (
        <p>None yet. Each payment’s receipt will be here.</p>
      ) : (
        <InvoiceList invoices={invoices} />
      )}
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        {hasMoreInvoices && (
          <PageLink href="/subscription/invoices" className="inline-flex items-center min-h-11">
            All invoices
          </PageLink>
        )}
        {invoices.length > 0 && <PortalButton to="billing">Billing address</PortalButton>}
      </div>
      {situation !== "ended" && situation !== "refunding" && <MoneyBack plan={plan} />}
    </section>
  );
}

function CardOnFile({ card }: { card: Card }) {
  const { brand, last4, expMonth, expYear, expiresFirst } = card;
  return (
    <p>
      {brandName(brand)} ending in {last4}, expires {String(expMonth).padStart(2, "0")}/{expYear}
      {expiresFirst && (
        <strong className="block text-coral">It expires before your next payment. Please update it.</strong>
      )}
    </p>
  );
}

const BRANDS: Record<string, string> = {
  amex: "American Express",
  diners: "Diners Club",
  discover: "Discover",
  eftpos_au: "eftpos",
  jcb: "JCB",
  mastercard: "Mastercard",
  unionpay: "UnionPay",
  visa: "Visa",
};

/** Stripe writes them in lower case. */
export function brandName(brand: string): string {
  return BRANDS[brand] ?? "Card";
}

function MoneyBack({ plan: { name, refundable, withdrawUntil, price } }: { plan: PlanOverview }) {
  if (!refundable && !withdrawUntil) return null;
  return (
    <>
      {refundable && (
        <p>
          You can get your {formatMoney(refundable.total, price.currency)} back
          {refundable.until ? (
            <>
              {" "}
              until <FormattedEnd instant={refundable.until} />
            </>
          ) : (
            " any time before launch"
          )}
          . That ends your plan.{" "}
          <DialogLink<RefundData> href="/subscription/refund" title={`Refund ${name}`} label="Get a refund">
            {(asked, close) => <RefundForm {...asked} close={close} />}
          </DialogLink>
        </p>
      )}
      {withdrawUntil && (
        <details>
          <summary className="folded">Consumers in the EU, the EEA and the UK</summary>
          <p>
            <PageLink href="/subscription/withdraw">Withdraw from contract here</PageLink> until{" "}
            <FormattedEnd instant={new Date(withdrawUntil.getTime() - 1)} />.
          </p>
        </details>
      )}
    </>
  );
}

/** Invoices and receipts, each with Stripe's page for it and a PDF. */
export function InvoiceList({ invoices }: { invoices: InvoiceLine[] }) {
  return (
    <dl className="w-full">
      {invoices.map((invoice) => (
        <div key={invoice.id} className="account-line">
          <dt>
            <FormattedDate instant={invoice.createdAt} />
          </dt>
          <dd>
            <span className="amount">{formatMoney(invoice.total, invoice.currency)}</span>
            {`, ${stateOf(invoice)}`}
            {invoice.number && <div className="text-quiet text-[0.9375rem]">{invoice.number}</div>}
          </dd>
          <dd className="flex gap-x-4">
            {invoice.hostedUrl && <InvoiceLink href={invoice.hostedUrl} label="View" invoice={invoice} />}
            {invoice.pdfUrl && <InvoiceLink href={invoice.pdfUrl} label="PDF" invoice={invoice} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function InvoiceLink({ href, label, invoice }: { href: string; label: string; invoice: InvoiceLine }) {
  return (
    <PageLink href={href} className="inline-flex items-center min-h-11 min-w-11">
      {label}
      <span className="sr-only">{` invoice ${invoice.number ?? invoice.id}`}</span>
    </PageLink>
  );
}

function stateOf({ status, total, amountRefunded, currency, hostedUrl }: InvoiceLine): string {
  if (amountRefunded > 0 && amountRefunded >= total) return "refunded";
  if (amountRefunded > 0) return `${formatMoney(amountRefunded, currency)} refunded`;
  // An ended plan's invoice has no payment page.
  const open = hostedUrl ? "not paid yet" : "not paid";
  return { paid: "paid", open, uncollectible: "not paid" }[status] ?? status;
}
