import type { InvoiceLine } from "../../billing/plan/plan-overview.ts";
import { formatMoney, includingTax } from "../../billing/plans.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePart, Facts, Moment, State, type StateProps } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { ActionButton, ConfirmedAction, REASON } from "../press.tsx";
import type { PersonRead } from "./read-person.server.ts";

type Refund = { name: string; total: number; amount: string };

export function PaymentsPart({
  person,
  customer,
  invoices,
  stripe,
  refund,
}: Pick<PersonRead, "person" | "customer" | "invoices"> & { stripe: string; refund: Refund | null }) {
  return (
    <ConsolePart id="payments" title="Payments">
      {customer ? (
        <Facts
          facts={[
            [
              "At Stripe",
              <PageLink key="customer" href={`${stripe}/customers/${customer.stripeCustomerId}`}>
                {customer.stripeCustomerId}
              </PageLink>,
            ],
            ["Last synced (UTC)", <Moment key="synced" instant={customer.syncedAt} />],
            ["Card", customer.card ? `${customer.card.brand} ending in ${customer.card.last4}` : "None"],
          ]}
        />
      ) : (
        <p className="text-quiet">They never opened a payment page, as far as we know.</p>
      )}
      {invoices.length > 0 && (
        <Table label="Table of invoices" rows={invoices} columns={COLUMNS} keyOf={({ id }) => id} />
      )}
      {(customer || refund) && (
        <div className="console-presses">
          {invoices.some(({ refundFailed }) => refundFailed > 0) && (
            <ButtonLink href={`/admin/people/${person.id}/money?do=again`}>Pay the refund again</ButtonLink>
          )}
          {customer &&
            MONEY_ACTIONS.map(([action, label]) => (
              <ButtonLink
                key={action}
                href={`/admin/people/${person.id}/money?do=${action}`}
                isQuiet
                isDangerous={action === "end"}
              >
                {label}
              </ButtonLink>
            ))}
          {refund && (
            <ConfirmedAction
              title="Refund beyond the promise"
              fields={{ do: "refund", total: refund.total }}
              reason={REASON.label}
              label={`Refund ${refund.amount} now`}
              pendingLabel="Refunding…"
            >
              {/* The third refund within a year is not paid by itself. */}
              <p>
                Works like their own Refund button, however many refunds they had: what was due when they
                asked is paid back, and {refund.name} ends immediately.
              </p>
            </ConfirmedAction>
          )}
        </div>
      )}
    </ConsolePart>
  );
}

const MONEY_ACTIONS = [
  ["change", "Change plan"],
  ["credit", "Give a credit"],
  ["end", "Cancel and refund"],
] as const;

const COLUMNS: Column<InvoiceLine>[] = [
  { header: "Issued (UTC)", cell: ({ createdAt }) => <Moment instant={createdAt} /> },
  {
    header: "Number",
    cell: ({ id, number, hostedUrl }) =>
      hostedUrl ? <PageLink href={hostedUrl}>{number ?? id}</PageLink> : (number ?? id),
  },
  {
    header: "Amount",
    isNumber: true,
    cell: ({ total, tax, currency }) => formatMoney(total, currency) + includingTax(tax, currency),
  },
  { header: "State", cell: (invoice) => <InvoiceState {...invoice} /> },
  {
    header: "Actions",
    isHeaderHidden: true,
    cell: ({ id, number, status, total, amountRefunded }) =>
      status === "paid" &&
      total > 0 && (
        <>
          <SendAgain what="receipt" mail="receipt" invoice={id} of={number ?? id} />
          {amountRefunded > 0 && (
            <SendAgain what="refund_mail" mail="refund email" invoice={id} of={number ?? id} />
          )}
        </>
      ),
  },
];

function SendAgain(props: { what: string; mail: string; invoice: string; of: string }) {
  const { what, mail, invoice, of } = props;
  return (
    <ActionButton
      fields={{ do: what, invoice }}
      label={
        <>
          {`Send the ${mail} again`}
          <span className="sr-only">{`, of ${of}`}</span>
        </>
      }
      pendingLabel="Sending…"
    />
  );
}

function InvoiceState(invoice: InvoiceLine) {
  const { status, declineReason, amountRefunded, refundFailed, refundFailure, currency } = invoice;
  const state = INVOICE_STATES.get(status) ?? { word: status };
  return (
    <>
      <State {...state} />
      {declineReason && <span className="block">{declineReason}</span>}
      {amountRefunded > 0 && `, ${formatMoney(amountRefunded, currency)} refunded`}
      {refundFailed > 0 && (
        <span className="block">
          {`A refund of ${formatMoney(refundFailed, currency)} failed. ${refundFailure}`}
        </span>
      )}
    </>
  );
}

const INVOICE_STATES = new Map<string, StateProps>([
  ["paid", { word: "Paid", tone: "good" }],
  ["open", { word: "Not paid yet", tone: "bad" }],
  ["uncollectible", { word: "Given up by Stripe", tone: "bad" }],
]);
