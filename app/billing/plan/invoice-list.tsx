import { FormattedDate } from "../../ui/formatted-date.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { formatMoney, includingTax } from "../plans.ts";
import type { InvoiceLine } from "./plan-overview.ts";

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
            {`${includingTax(invoice.tax, invoice.currency)}, ${stateOf(invoice)}`}
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
    <PageLink href={href} className="inline-flex items-center justify-end min-h-11 min-w-11">
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
