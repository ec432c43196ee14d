import { brandName } from "../../billing/plan/payments-section.tsx";
import type { InvoiceLine } from "../../billing/plan/plan-overview.ts";
import { formatMoney } from "../../billing/plans.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { ConsolePart, Facts } from "../console-page.tsx";
import { Moment } from "../moment.tsx";
import { TableFrame } from "../table-frame.tsx";
import type { PersonRead } from "./read-person.server.ts";
import { ReasonField } from "./reason-field.tsx";

type Refund = { name: string; total: number; amount: string };

/** What somebody paid or has to pay, as Stripe had it when it was last asked. */
export function PaymentsPart({
  customer,
  invoices,
  isTestMode,
  refund,
}: Pick<PersonRead, "customer" | "invoices"> & { isTestMode: boolean; refund: Refund | null }) {
  return (
    <ConsolePart id="payments" title="Payments">
      {customer ? (
        <Facts
          facts={[
            ["At Stripe", <Customer key="customer" id={customer.stripeCustomerId} isTestMode={isTestMode} />],
            ["Last asked", <Moment key="asked" instant={customer.syncedAt} />],
            [
              "Card",
              customer.cardLast4
                ? `${brandName(customer.cardBrand ?? "")} ending in ${customer.cardLast4}`
                : "None",
            ],
          ]}
        />
      ) : (
        <p className="text-quiet">They never opened a payment page, as far as is known here.</p>
      )}
      {invoices.length > 0 && <Invoices invoices={invoices} />}
      {refund && <RefundAnyway {...refund} />}
    </ConsolePart>
  );
}

/** What an operator decides about: the third refund within a year is not paid by itself. */
function RefundAnyway({ name, total, amount }: Refund) {
  return (
    <details>
      <summary>Refund anyway</summary>
      <PostForm action="?" className="console-form">
        <p>
          Does what their own button does, however many refunds they had: what was due when they asked is paid
          back, and {name} ends at once.
        </p>
        <input type="hidden" name="do" value="refund" />
        <input type="hidden" name="total" value={total} />
        <div className="grid gap-1.5">
          <ReasonField id="refund-reason" label="Why, without naming them" />
        </div>
        <SubmitButton isDangerous pendingLabel="Refunding…">
          {`Refund ${amount} now`}
        </SubmitButton>
      </PostForm>
    </details>
  );
}

function Customer({ id, isTestMode }: { id: string; isTestMode: boolean }) {
  return (
    <PageLink href={`https://dashboard.stripe.com/${isTestMode ? "test/" : ""}customers/${id}`}>
      {id}
    </PageLink>
  );
}

function Invoices({ invoices }: { invoices: readonly InvoiceLine[] }) {
  return (
    <TableFrame label="Table of invoices">
      <table>
        <thead>
          <tr>
            <th>Written</th>
            <th>Number</th>
            <th className="number">Amount</th>
            <th>State</th>
            <th>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invoices.map((invoice) => (
            <tr key={invoice.id}>
              <td>
                <Moment instant={invoice.createdAt} />
              </td>
              <td>
                {invoice.hostedUrl ? (
                  <PageLink href={invoice.hostedUrl}>{invoice.number ?? invoice.id}</PageLink>
                ) : (
                  (invoice.number ?? invoice.id)
                )}
              </td>
              <td className="number">{formatMoney(invoice.total, invoice.currency)}</td>
              <td>
                <State {...invoice} />
              </td>
              <td>{invoice.status === "paid" && invoice.total > 0 && <Receipt {...invoice} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function State({ status, amountRefunded, currency }: InvoiceLine) {
  const tone = { paid: "good", open: "bad", uncollectible: "bad" }[status];
  const word = { paid: "Paid", open: "Not paid yet", uncollectible: "Given up by Stripe" }[status] ?? status;
  return (
    <>
      <span className="state" data-tone={tone}>
        {word}
      </span>
      {amountRefunded > 0 && `, ${formatMoney(amountRefunded, currency)} refunded`}
    </>
  );
}

function Receipt({ id, number }: InvoiceLine) {
  return (
    <PostForm action="?">
      <input type="hidden" name="do" value="receipt" />
      <input type="hidden" name="invoice" value={id} />
      <SubmitButton isQuiet pendingLabel="Sending…">
        Send the receipt again<span className="sr-only">{`, of ${number ?? id}`}</span>
      </SubmitButton>
    </PostForm>
  );
}
