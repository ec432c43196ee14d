import { formatMoney } from "../../billing/plans.ts";
import { isTier, PLAN_NAMES } from "../../entitlements/tiers.ts";

export type EntryKind =
  | "signed_up"
  | "signed_in"
  | "payment_page"
  | "invoice"
  | "plan_began"
  | "plan_ended"
  | "plan_change"
  | "grant"
  | "grant_revoked"
  | "mail"
  | "message"
  | "operator"
  | "stripe_event";

type Facts = Record<string, unknown>;

/** What kind of thing it is, in a word, for the first column. */
export const KIND_NAMES: Record<EntryKind, string> = {
  signed_up: "Account",
  signed_in: "Sign-in",
  payment_page: "Payment",
  invoice: "Payment",
  plan_began: "Plan",
  plan_ended: "Plan",
  plan_change: "Plan",
  grant: "Access",
  grant_revoked: "Access",
  mail: "Email",
  message: "Message",
  operator: "Operator",
  stripe_event: "Stripe",
};

const CHANGES: Record<string, string> = {
  cancel: "Asked to cancel",
  resume: "Asked to keep the plan",
  change: "Asked to change plan",
  refund: "Asked for a refund",
  withdraw: "Withdrew from the contract",
};

/** By the action in the audit log. */
const CHANGES_BY_US: Record<string, string> = {
  "user.synced": "Synced from Stripe",
  "user.customer_adopted": "Their customer at Stripe was stored here",
  "user.access_given": "Access given",
  "user.access_revoked": "Access revoked",
  "user.refunded": "Refunded by an operator",
  "user.mail_sent": "Email sent again",
  "user.signed_out": "Signed out everywhere",
  "user.second_factor_removed": "Two-step login turned off",
  "user.exported": "Data exported",
};

const WORDS: Record<EntryKind, (facts: Facts) => string> = {
  signed_up: () => "Signed up",
  // A session that waits has passed the password or the provider, and not the second factor.
  signed_in: ({ device, lastSeen, isOver, isWaiting }) =>
    isWaiting
      ? `Took the first step of logging in and not the second: ${device}`
      : `Signed in: ${device}, last seen ${minute(lastSeen)}${isOver ? ", over" : ""}`,
  payment_page: ({ price, status }) => `Opened the payment page for ${price} (${status})`,
  invoice: (facts) => invoiceWords(facts),
  plan_began: ({ id, tier }) => `${planName(tier)} began (${id})`,
  plan_ended: ({ id, tier }) => `${planName(tier)} ended (${id})`,
  plan_change: ({ change, price, reason, comment, isDone }) =>
    sentence(`${CHANGES[String(change)] ?? change}${price ? ` to ${price}` : ""}`, [
      text(reason),
      text(comment),
      isDone ? null : "not done yet",
    ]),
  grant: ({ tier, code, reason }) =>
    code
      ? `Redeemed ${code}: ${planName(tier)}`
      : `Was given ${planName(tier)}${reason ? `: ${reason}` : ""}`,
  grant_revoked: ({ tier, code }) => `Lost ${planName(tier)}${code ? ` from ${code}` : ""}: revoked`,
  mail: ({ subject, isSent, isGivenUp, failure }) =>
    sentence(String(subject), [isSent ? "sent" : isGivenUp ? "given up" : "waiting", text(failure)]),
  message: ({ topic, isAnswered }) =>
    `Wrote to us (${topic})${isAnswered ? ", answered" : ", not answered yet"}`,
  operator: ({ action, actor, reason }) =>
    sentence(`${CHANGES_BY_US[String(action)] ?? action}, by ${actor}`, [text(reason)]),
  stripe_event: ({ id, type, isHandled }) => `${type} (${id})${isHandled ? "" : ", not handled yet"}`,
};

/** The page of the console that says more of it, if there is one. */
export function pageOfEntry(kind: EntryKind, facts: Facts): string | null {
  const part = (name: string) => encodeURIComponent(String(facts[name]));
  if (kind === "mail") return `/admin/mail/${part("id")}`;
  if (kind === "message") return `/admin/messages/${part("id")}`;
  if (kind === "grant" && facts.code) return `/admin/codes/${part("code")}`;
  return null;
}

/** What happened, in a line. */
export function describeEntry(kind: EntryKind, facts: Facts): string {
  return WORDS[kind](facts);
}

function invoiceWords({ id, number, status, amount, currency, refunded, dispute }: Facts): string {
  const money = (value: unknown) => formatMoney(Number(value), String(currency));
  return sentence(`Invoice ${number ?? id}: ${money(amount)}, ${status}`, [
    Number(refunded) > 0 ? `${money(refunded)} refunded` : null,
    dispute ? `dispute ${dispute}` : null,
  ]);
}

function planName(tier: unknown): string {
  return isTier(tier) ? PLAN_NAMES[tier] : String(tier);
}

function sentence(start: string, further: (string | null)[]): string {
  return [start, ...further].filter(Boolean).join(", ");
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Of a time as PostgreSQL writes it in JSON. */
function minute(value: unknown): string {
  return String(value).slice(0, 16).replace("T", " ");
}
