import { chargedAmount, formatMoney, includingTax } from "../../billing/plans.ts";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Facts, Moment } from "../console-page.tsx";
import { Table } from "../lists/table.tsx";
import type { Review, Sent } from "./money-review.server.ts";
import { HeldPlan } from "./person-words.tsx";

export function Preview({ review, sent }: { review: Review; sent: Sent }) {
  if (review.of === "credit") {
    const { money, next } = review;
    const then =
      next &&
      `${formatMoney(next.before, money.currency)} becomes ${formatMoney(next.after, money.currency)}`;
    return (
      <Facts
        facts={[
          ["Credit", formatMoney(money.amount, money.currency)],
          ["Next payment", next ? <OnDay key="next" words={then ?? ""} at={next.at} /> : "None is planned"],
        ]}
      />
    );
  }
  if (review.of === "change") {
    if (!review.review) return null;
    const { planName, price, happens, due, tax, next, nextAt, startsAt } = review.review;
    const withTax = (amount: number, of: number) =>
      formatMoney(amount, price.currency) + includingTax(of, price.currency);
    return (
      <Facts
        facts={[
          ["Then", `${planName}, ${chargedAmount(price)}`],
          ["Starts", happens === "now" ? "Immediately" : <FormattedEnd key="starts" instant={startsAt} />],
          ["Charged now", due > 0 ? withTax(due, tax) : "Nothing"],
          due < 0 && ["Credited to next payments", formatMoney(-due, price.currency)],
          ["Next payment", <OnDay key="next" words={withTax(next.amount, next.tax)} at={nextAt} />],
        ]}
      />
    );
  }
  if (review.of === "again") {
    const { payments, total, currency, how } = review;
    return (
      <>
        <Facts
          facts={[
            [how === "card" ? "Refund" : "Paid in another way", formatMoney(total, currency)],
            ["Why it failed", payments.map(({ why }) => why).join(" ")],
          ]}
        />
        <RefundTable payments={payments} currency={currency} />
      </>
    );
  }
  const { plan, ends, remaining, payments, total } = review;
  const { currency } = plan.price;
  const promised = plan.refundable?.total ?? 0;
  return (
    <>
      <Facts
        facts={[
          ["Plan", `${plan.name}, ${chargedAmount(plan.price)}`],
          [
            "Ends",
            {
              now: "Immediately",
              over: "It’s over already",
              period_end: <FormattedEnd key="end" instant={plan.currentPeriodEnd} />,
            }[ends],
          ],
          ["Then", <HeldPlan key="then" plan={remaining} />],
          ["Refund", total > 0 ? formatMoney(total, currency) : "None"],
          ["Refund promise", promised > 0 ? formatMoney(promised, currency) : "Nothing is due back"],
        ]}
      />
      {promised > total && (
        <Notice tone="bad">
          {`That’s ${formatMoney(promised - total, currency)} less than the refund promise (${formatMoney(promised, currency)}). `}
          <PageLink href={hrefOfRefund(sent, formatMoney(promised, currency))} preventScrollReset>
            {`Refund ${formatMoney(promised, currency)}`}
          </PageLink>
        </Notice>
      )}
      {payments.length > 0 && <RefundTable payments={payments} currency={currency} />}
    </>
  );
}

/** The preview of the same with this refund. */
function hrefOfRefund({ when }: Sent, amount: string): string {
  const terms = { do: "end", when: when ?? "", refund: "part", amount: amount.replace(/[^\d.]/g, "") };
  return `?${new URLSearchParams({ ...terms, preview: "1" })}`;
}

type Refunded = { id: string; number: string | null; paidAt: Date; amount: number };

function RefundTable({ payments, currency }: { payments: readonly Refunded[]; currency: string }) {
  return (
    <Table
      label="Table of payments to refund"
      rows={payments}
      keyOf={({ id }) => id}
      columns={[
        { header: "Paid (UTC)", cell: ({ paidAt }) => <Moment instant={paidAt} /> },
        { header: "Invoice", cell: ({ id, number }) => number ?? id },
        { header: "Refund", isNumber: true, cell: ({ amount }) => formatMoney(amount, currency) },
      ]}
    />
  );
}

function OnDay({ words, at }: { words: string; at: Date }) {
  return (
    <>
      {words} on <FormattedEnd instant={at} />
    </>
  );
}

export function fieldsOf(review: Review, sent: Sent): Record<string, string | number> {
  const { seen } = review;
  if (review.of === "credit") return { do: "credit", amount: sent.amount ?? "", seen };
  if (review.of === "again") return { do: "again", how: review.how, total: review.total, seen };
  if (review.of === "end") {
    const { when, refund, amount } = sent;
    return {
      do: "end",
      when: when ?? "",
      refund: refund ?? "",
      amount: amount ?? "",
      total: review.total,
      seen,
    };
  }
  const { price, startsAt, due } = review.review ?? {};
  return {
    do: "change",
    price: price?.id ?? "",
    at: Math.floor((startsAt?.getTime() ?? 0) / 1000),
    due: due ?? 0,
    seen,
  };
}

export function labelOf(review: Review): string {
  if (review.of === "credit") return `Give ${formatMoney(review.money.amount, review.money.currency)} credit`;
  if (review.of === "again") {
    const amount = formatMoney(review.total, review.currency);
    return review.how === "card" ? `Refund ${amount} again` : `Note that ${amount} was paid`;
  }
  if (review.of === "change") return `Change to ${review.review?.planName}`;
  const refund = review.total > 0 ? formatMoney(review.total, review.plan.price.currency) : null;
  if (review.ends === "over") return `Refund ${refund}`;
  const isNow = review.ends === "now";
  if (!refund) return isNow ? "End the plan now" : "Cancel the plan";
  return `Refund ${refund} and ${isNow ? "end the plan now" : "cancel the plan"}`;
}
