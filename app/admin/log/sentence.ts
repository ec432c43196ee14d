import { formatMoney } from "../../billing/plans.ts";
import { FEATURE_NAMES, FEATURES, isTier, PLAN_NAMES } from "../../entitlements/tiers.ts";
import { capitalize } from "../capitalize.ts";

type Fields = Readonly<Record<string, unknown>>;

export type LoggedValues = Record<"before" | "after", Fields | null>;

/** In lower case, to follow the operator's name: "made SPRING valid 3 months". */
export function sentenceOf(change: { action: string; subject: string } & LoggedValues): string {
  const [, id = ""] = /^[a-z_]+:(.*)$/s.exec(change.subject) ?? [];
  return (
    SENTENCES[change.action]?.(change.after ?? {}, id, change.before ?? {}) ?? humanizeAction(change.action)
  );
}

/** "Promo code paused" of `promo_code.paused`. */
export function humanizeAction(action: string): string {
  return capitalize(action.replaceAll(/[._]/g, " "));
}

const plan = (tier: unknown) => (isTier(tier) ? PLAN_NAMES[tier] : "a plan");
const feature = (id: string) =>
  FEATURES.flatMap((one) => (one === id ? FEATURE_NAMES[one] : [])).join() || id;
const day = (value: unknown) => String(value ?? "").slice(0, 10);
const money = (amount: unknown, { currency }: Fields) =>
  typeof amount === "number" && typeof currency === "string" ? formatMoney(amount, currency) : "";
const months = (value: unknown) => `${value} month${value === 1 ? "" : "s"}`;

function editOf(after: Fields, code: string, before: Fields): string {
  const changed = Object.keys(after).filter(
    (field) => field in before && JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  const made = changed.flatMap((field) => {
    const value = after[field];
    switch (field) {
      case "durationMonths":
        return value === null ? [] : [`valid ${months(value)}`];
      case "durationType":
        return value === "forever" ? ["valid forever"] : [];
      case "maxUses":
        return [value === null ? "good for any number of uses" : `good for ${value} uses`];
      case "expiresAt":
        return [value === null ? "never end" : `end on ${day(value)}`];
      case "startsAt":
        return [value === null ? "start immediately" : `start on ${day(value)}`];
      case "tier":
        return [value === null ? "give the plan that is chosen" : `give ${plan(value)}`];
      default:
        return [];
    }
  });
  return made.length > 0 ? `made ${code} ${made.join(", ")}` : `changed ${code}`;
}

const MAILS: Partial<Record<string, string>> = {
  confirmation: "the link to confirm",
  new_password: "the link for a new password",
};

const SENTENCES: Partial<Record<string, (after: Fields, id: string, before: Fields) => string>> = {
  "promo_code.created": (_, code) => `created the code ${code}`,
  "promo_code.edited": editOf,
  "promo_code.paused": (_, code) => `paused ${code}`,
  "promo_code.resumed": (_, code) => `resumed ${code}`,
  "promo_batch.created": ({ name, size }) => `created ${size} codes: ${name}`,
  "promo_batch.paused": () => "paused the codes of a batch",
  "promo_batch.resumed": () => "resumed the codes of a batch",
  "feature.scheduled": ({ opened_at }, id) => `scheduled ${feature(id)} for ${day(opened_at)}`,
  "feature.opened": (_, id) => `opened ${feature(id)}`,
  "feature.closed": (_, id) => `closed ${feature(id)}`,
  "feature.announced": ({ mailed }, id) => `announced ${feature(id)} by ${mailed} emails`,
  "changelog_entry.added": () => "added a changelog entry",
  "changelog_entry.edited": () => "edited a changelog entry",
  "changelog_entry.deleted": () => "deleted a changelog entry",
  "changelog_entry.mailed": () => "emailed a changelog entry",
  "catalogue.synced": () => "synced the plans from Stripe",
  "user.access_given": ({ tier, expiresAt }) => `gave ${plan(tier)} until ${day(expiresAt)}`,
  "user.access_revoked": (_, __, { tier }) => `revoked ${plan(tier)}`,
  "user.plan_ended": (after) => {
    const { ends, refunded } = after;
    const end = { now: "ended a plan immediately", period_end: "canceled a plan" }[String(ends)];
    const back = refunded ? `refunded ${money(refunded, after)}` : null;
    return [end, back].filter(Boolean).join(" and ");
  },
  "user.plan_changed": (after) => {
    const { due } = after;
    return typeof due === "number" && due > 0
      ? `changed a plan, for ${money(due, after)} now`
      : "changed a plan";
  },
  "user.credited": (after) => `gave a credit of ${money(after.amount, after)}`,
  "user.refunded_again": (after) =>
    after.how === "other"
      ? `noted that a failed refund of ${money(after.refunded, after)} was paid in another way`
      : `refunded ${money(after.refunded, after)} again`,
  "user.refunded": () => "refunded by the promise and ended a plan",
  "user.mail_sent": ({ mail }) => `sent ${MAILS[String(mail)] ?? `an email again (${mail})`}`,
  "user.signed_out": (_, __, { sessions }) => `signed them out on ${sessions} devices`,
  "user.second_factor_removed": () => "turned off two-step login",
  "user.exported": () => "took a copy of their data",
  "user.deleted": () => "deleted an account",
  "user.customer_adopted": () => "stored their customer at Stripe here",
  "user.synced": () => "synced from Stripe what they have",
  "list.downloaded": ({ rows }, list) => `downloaded ${rows} rows of the list of ${list}`,
  "list.download_began": (_, list) => `began to download the list of ${list}`,
  "contact_message.answered": () => "answered a message",
  "contact_message.marked_answered": () => "marked a message as answered",
  "contact_message.reopened": () => "reopened a message",
  "contact_message.deleted": () => "deleted a message",
  "contact_message.answer_sent_again": () => "sent an answer again",
  "waitlist.invited": ({ people }) => `invited ${people} from the waitlist`,
  "job.retried": (_, job) => `had job ${job} tried again`,
};
