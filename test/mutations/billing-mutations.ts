// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code.
import { type Mutation, of } from "./mutation.ts";

const REFUND = ["app/billing/plan/refund.server.test.ts"];
const CHANGE = ["app/billing/plan/apply-plan-change.test.ts", "app/billing/plan/stripe-plan.server.test.ts"];
const SYNC = [
  "app/billing/sync/sync-customer.server.test.ts",
  "app/billing/sync/payments.server.test.ts",
  "app/billing/sync/life.server.test.ts",
];
const RULES = ["app/billing/plan/rules.test.ts"];
const LIFE = ["app/billing/lifecycle.test.ts"];
const AGAIN = ["app/billing/plan/refund-again.server.test.ts"];
const WAITED = [
  "app/billing/announcing/waited-days.server.test.ts",
  "app/billing/announcing/give-days.server.test.ts",
  "app/billing/announcing/announce-feature.server.test.ts",
];
const TAX = ["app/billing/tax.server.test.ts"];

/** What is charged, paid back and had for it. */
export const BILLING_MUTATIONS: Record<string, Mutation[]> = {
  webhook: [
    ...of(
      "app/billing/store-event.server.ts",
      ["app/billing/store-event.server.test.ts"],
      ['          .for("key share")\n', ""],
      ["if (isOfCatalogue) await enqueue(", "if (!isOfCatalogue) await enqueue("],
      ["event.customer ?? (event.payment &&", "event.customer ?? (!event.payment &&"],
      [": stored.onConflictDoNothing());", ": stored);"],
    ),
    ...of(
      "app/billing/stripe-webhook.ts",
      ["app/billing/webhook.site.test.ts"],
      ["if (Math.abs(Date.now() / 1000 - Number(signedAt)) > TOLERANCE_SECONDS) return false;", ""],
      [
        "given.length === expected.length && timingSafeEqual(given, expected)",
        "given.length === expected.length",
      ],
    ),
  ],
  sync: [
    ...of(
      "app/billing/sync/sync-customer.server.ts",
      SYNC,
      ["          lt(customers.syncTicket, ticket),\n", ""],
      ["tier: tierAtPurchase, ", ""],
      ["accessUntil: NO_ACCESS, syncTicket", "syncTicket"],
      ['      eq(stripeInvoices.status, "draft"),\n', ""],
      ["  if (!current?.now) return;\n", ""],
    ),
    ...of("app/billing/sync/sync-customer.server.ts", REFUND, [
      "    await reopenWonRefunds(tx, userId);\n",
      "",
    ]),
    ...of(
      "app/billing/sync/sync-customer.server.ts",
      ["app/billing/checkout.server.test.ts"],
      ["await closeAttempt(app, attempt.id);", "void attempt;"],
    ),
  ],
  "entitlement rule": of(
    "app/billing/lifecycle.ts",
    LIFE,
    ["return cancelAt && cancelAt < until ? cancelAt : until;", "return until;"],
    ["if (isTakenBackFor(paidPeriodEnd(subscription), invoices)) return NO_ACCESS;", ""],
    ["if (isTakenBackFor(currentPeriodStart ?? currentPeriodEnd, invoices)) return NO_ACCESS;", ""],
    ['if (status !== "active" && status !== "trialing") return NO_ACCESS;', ""],
    ["createdAt > lastPaid", "createdAt >= lastPaid"],
    ["Math.max(graceDays * DAY_MILLISECONDS, HOUR_MILLISECONDS)", "graceDays * DAY_MILLISECONDS"],
    ['if (pauseBehavior === "void") return', "if (pauseBehavior) return"],
    ["amountRefunded >= amountPaid", "amountRefunded > amountPaid"],
    [
      'some(({ disputeStatus }) => disputeStatus === "lost")',
      'every(({ disputeStatus }) => disputeStatus === "lost")',
    ],
    ["invoice.periodEnd >= periodEnd,", "invoice.periodEnd > periodEnd,"],
  ),
  refund: [
    ...of(
      "app/billing/plan/rules.ts",
      [...RULES, ...REFUND],
      ["until === null || now <= until", "until === null || now < until"],
      [
        "const refundable = invoices\n    .filter(({ isDisputed }) => !isDisputed)\n",
        "const refundable = invoices\n",
      ],
      ["amount: invoice.amountPaid - invoice.amountRefunded", "amount: invoice.amountPaid"],
      ["new Date(Math.max(openedAt.getTime()", "new Date(Math.min(openedAt.getTime()"],
      ['export const HARMLESS_DISPUTES = ["won", ', "export const HARMLESS_DISPUTES = ["],
      ["new Date(Math.min(...ends))", "new Date(Math.max(...ends))"],
    ),
    ...of("app/ui/offer.ts", RULES, ["const REFUND_DAYS = 14;", "const REFUND_DAYS = 13;"]),
    ...of(
      "app/billing/plan/refund.server.ts",
      REFUND,
      ['kind === "withdraw" ? !isDisputed : promised.has(id)', "promised.has(id)"],
      ["refundableNow(paid, requestedAt)", "refundableNow(paid, new Date())"],
      ['eq(stripeInvoices.status, "paid")', "eq(stripeInvoices.subscriptionId, subscriptionId)"],
      ['error.code === "charge_already_refunded" || ', ""],
      [
        "  WHEN ${stripeInvoices.priceId} = ${stripeSubscriptions.priceId} THEN ${stripeSubscriptions.tier}\n",
        "  WHEN false THEN ${stripeSubscriptions.tier}\n",
      ],
      ["`refund-${invoice.id}${state}`", "`refund-${invoice.id}`"],
    ),
  ],
  withdrawal: of(
    "app/billing/plan/rules.ts",
    RULES,
    ["const WITHDRAWAL_DAYS = 14;", "const WITHDRAWAL_DAYS = 13;"],
    ["firstDay + WITHDRAWAL_DAYS + 1", "firstDay + WITHDRAWAL_DAYS"],
  ),
  "plan change": [
    ...of(
      "app/billing/plan/apply-plan-change.server.ts",
      CHANGE,
      ["if (!isRefusal(error) || isFinal(change)) throw error;", "if (!isRefusal(error)) throw error;"],
      ["      await reopenNewerRequest(db, sent);\n", ""],
      ["if (change.appliedAt && !hasSentOlder)", "if (change.appliedAt)"],
      ['if (change.kind === "change" && !canBeChanged(status, pause !== null)) return "refused";', ""],
      ['if (isChargedUnreviewed(subscription, change, target)) return "refused";', ""],
      ["if (isLast) return outcome;", "return outcome;"],
      ['return change.kind === "cancel" ? "applied" : "refused";', 'return "applied";'],
    ),
    ...of("app/billing/plan/plan-change-request.server.ts", CHANGE, [
      "ne(planChanges.number, number)",
      "eq(planChanges.number, number)",
    ]),
    ...of(
      "app/billing/plan/rules.ts",
      [...RULES, ...CHANGE],
      ["to.unitAmount >= from.unitAmount", "to.unitAmount > from.unitAmount"],
      [
        'return to.interval === "year" ? "now" : "at_period_end"',
        'return to.interval === "year" ? "at_period_end" : "now"',
      ],
    ),
    ...of(
      "app/billing/plan/stripe-plan.server.ts",
      CHANGE,
      ["if (isRefusal(error)) await putBack(stripe, subscription);", ""],
      ['payment_behavior: "pending_if_incomplete",', 'payment_behavior: "allow_incomplete",'],
      ["Math.max(Math.floor(at.getTime() / 1000), current_period_start)", "Math.floor(at.getTime() / 1000)"],
    ),
  ],
  "refund that failed": [
    ...of(
      "app/billing/plan/refund-again.server.ts",
      AGAIN,
      ["    if (total !== confirmed.total) return failure(409, CHANGED_SINCE_PREVIEW);\n", ""],
      ['const due = how === "card" ? payments : payments.map(', "const due = how ? payments : payments.map("],
      ["and(eq(stripeInvoices.userId, userId), gt(", "and(gt("],
    ),
    ...of("app/billing/plan/end-by-operator.server.ts", AGAIN, [
      "  if (waiting.length > 0) throw new Refused(failure(409, ON_ITS_WAY));\n",
      "",
    ]),
    ...of(
      "app/billing/plan/refund.server.ts",
      AGAIN,
      ['      if (status === "failed") await stripe.refunds.update(', "      await stripe.refunds.update("],
      ['if (again !== "other" && !made.data.some(', "if (!made.data.some("],
    ),
    ...of(
      "app/billing/sync/rows.ts",
      AGAIN,
      ["sumOf(refunds.data.filter(isMade)));", "sumOf(refunds.data));"],
      [" - sumOf(refunds.filter(isMade).filter(isAgain)),", ","],
      [" && !metadata?.[REFUND_SETTLED]);", ");"],
    ),
  ],
  "waiting given back": [
    ...of(
      "app/billing/announcing/waited-days.server.ts",
      WAITED,
      ["  days_given IS NULL AND revoked_at IS NULL AND ", "  revoked_at IS NULL AND "],
      ["days_given IS NULL AND revoked_at IS NULL AND ", "days_given IS NULL AND "],
      ["AND created_at < ${openedAt}::timestamptz AND", "AND"],
      [
        "range_agg(tstzrange(period_start, least(period_end, ${openedAt}::timestamptz)))",
        "range_agg(tstzrange(period_start, period_end))",
      ],
      ["AND NOT (amount_paid > 0 AND amount_refunded >= amount_paid) AND", "AND"],
      [" AND dispute_status IS DISTINCT FROM 'lost'", ""],
    ),
    ...of(
      "app/billing/announcing/give-days.server.ts",
      WAITED,
      ["if (daysGivenTo(subscription) === null) {", "if (subscription) {"],
      ["if (open || isUnsettled(subscription)) {", "if (open) {"],
      ["if (open || isUnsettled(subscription)) {", "if (isUnsettled(subscription)) {"],
      ["    secondsLeft < RENEWAL_SECONDS\n", "    false\n"],
      ['    proration_behavior: "none",\n    ...ends', "    ...ends"],
      ["      await saveProgress<DaysJob>(db, job, { nextPriceId });\n", ""],
      ["cancel_at: cancel_at + days * DAY_SECONDS", "cancel_at"],
    ),
    ...of(
      "app/billing/lifecycle.ts",
      [...LIFE, ...WAITED],
      ["after(currentPeriodEnd, -(daysGiven ?? 0) * DAY_MILLISECONDS)", "currentPeriodEnd"],
    ),
    ...of("app/billing/plan/change-review.server.ts", WAITED, [
      'current.daysGiven ? "at_period_end" : changeHappens(',
      "changeHappens(",
    ]),
  ],
  tax: [
    ...of(
      "app/billing/checkout-attempt.server.ts",
      TAX,
      ["      ...(site.plusTax && TAXED),\n", "      ...TAXED,\n"],
      ["      ...(site.plusTax && TAXED),\n", ""],
      ['  billing_address_collection: "required",\n', ""],
    ),
    ...of("app/billing/checkout.server.ts", TAX, [
      "purchaseTerms(params.price, config.site.plusTax)",
      'purchaseTerms(params.price, "")',
    ]),
    ...of("app/billing/sync/rows.ts", TAX, [
      "isTaxed: subscription.automatic_tax?.enabled ?? false",
      "isTaxed: false",
    ]),
    ...of(
      "app/billing/plan/change-review.server.ts",
      TAX,
      ["  if (!plusTax) return listed;\n", "  return listed;\n"],
      ["due > 0 ? Math.max(taxOf(preview), 0) : 0", "0"],
      ['subscription_details: { items, proration_behavior: "none" }', "subscription_details: { items }"],
    ),
    ...of("app/billing/plan/stripe-plan.server.ts", TAX, [
      "subscription.automatic_tax?.enabled && { automatic_tax: { enabled: true } };",
      "{ automatic_tax: { enabled: false } };",
    ]),
  ],
};
