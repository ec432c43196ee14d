import { formatMoney } from "../../billing/plans.ts";
import type { Findings } from "../../figures/findings.server.ts";
import { MOST_COUNTED, type OverviewCounts, type Owed } from "../../figures/overview-counts.server.ts";
import { formatDuration } from "../../ui/format-duration.ts";

export interface Need {
  /** A customer or money waits. */
  isUrgent?: boolean;
  text: string;
  href: string;
}

/** In seconds. */
const LATE_EVENT_SECONDS = 5 * 60;
const LATE_JOB_SECONDS = 5 * 60;
const LATE_ANSWER_SECONDS = 24 * 60 * 60;

export interface Situation {
  counts: OverviewCounts;
  findings: Findings | null;
  /** Requested over an hour ago and still not at Stripe. */
  refundsOpen: number;
  isMailOn: boolean;
  arePaymentsOn: boolean;
}

/** What needs attention today, the most harmful first. */
export function needsOf({ counts, findings, refundsOpen, isMailOn, arePaymentsOn }: Situation): Need[] {
  const { unpaid, overdue, disputed, failedRefunds, refundsReturned } = counts;
  const stuckFor = formatDuration(counts.oldestStuckSeconds ?? 0);
  const unanswered = counts.unansweredMessages > 0 && {
    text: `${many(counts.unansweredMessages, "message")} ${is(counts.unansweredMessages)} not answered, the oldest for ${formatDuration(counts.oldestMessageSeconds ?? 0)}.`,
    href: "/admin/messages",
  };
  const isLate = (counts.oldestMessageSeconds ?? 0) > LATE_ANSWER_SECONDS;
  const urgent: (Need | false | null)[] = [
    !arePaymentsOn && {
      text: "Payments are off: nobody can buy a plan. The server log says why.",
      href: "/admin/plans",
    },
    !isMailOn && {
      text: "Mail is off: what is written waits. The server log says why.",
      href: "/admin/mail",
    },
    failedRefunds > 0 && {
      text: `${many(failedRefunds, "refund")} failed at Stripe so far, and ${is(failedRefunds)} tried again. The list of jobs says why.`,
      href: "/admin/jobs?state=failing",
    },
    refundsReturned.length > 0 && {
      text: `${many(sumOf(refundsReturned), "refund")} came back from the bank and ${is(sumOf(refundsReturned))} still owed: ${amountsOf(refundsReturned)}, ${sinceOf(refundsReturned)}. Pay ${sumOf(refundsReturned) === 1 ? "it" : "them"} again or in another way.`,
      href: "/admin/people?trouble=refund",
    },
    disputed.length > 0 && {
      text: `${many(sumOf(disputed), "payment")} ${is(sumOf(disputed))} disputed: ${amountsOf(disputed)}, ${sinceOf(disputed)}. Stripe’s dashboard takes the answer.`,
      href: "/admin/people?trouble=dispute",
    },
    overdue.length > 0 && {
      text: `${many(sumOf(overdue), "payment")} ${is(sumOf(overdue))} overdue and tried no more: ${amountsOf(overdue)}, ${sinceOf(overdue)}.`,
      href: "/admin/people?trouble=payment",
    },
    sumOf(unpaid) > sumOf(overdue) && {
      text: `${many(sumOf(unpaid), "payment")} failed and ${is(sumOf(unpaid))} still owed: ${amountsOf(unpaid)}, ${sinceOf(unpaid)}.`,
      href: "/admin/people?trouble=payment",
    },
    refundsOpen > 0 && {
      text: `${many(refundsOpen, "refund")} asked for more than an hour ago ${is(refundsOpen)} not at Stripe yet. The list of jobs says why.`,
      href: "/admin/jobs",
    },
    counts.stuckJobs > 0 && {
      text: `${many(counts.stuckJobs, "job")} ${has(counts.stuckJobs)} failed again and again, the oldest for ${stuckFor}. ${counts.stuckJobs === 1 ? "It goes" : "They go"} on being tried.`,
      href: "/admin/jobs?state=failing",
    },
    (counts.oldestDueSeconds ?? 0) > LATE_JOB_SECONDS && {
      text: `A job has been due for ${formatDuration(counts.oldestDueSeconds ?? 0)} and nothing has taken it.`,
      href: "/admin/jobs",
    },
    (counts.oldestEventSeconds ?? 0) > LATE_EVENT_SECONDS && {
      text: `${many(counts.unhandledEvents, "event")} from Stripe ${is(counts.unhandledEvents)} not handled yet, the oldest for ${formatDuration(counts.oldestEventSeconds ?? 0)}. Someone may have paid and not have their plan.`,
      href: "/admin/jobs",
    },
    findings &&
      findings.orphans > 0 && {
        text: `${many(findings.orphans, "subscription")} at Stripe ${is(findings.orphans)} paid by someone who has no account here.`,
        href: "/admin/jobs",
      },
    isLate && unanswered,
  ];
  const others: typeof urgent = [
    !isLate && unanswered,
    findings &&
      findings.failed > 0 && {
        text: `${many(findings.failed, "customer")} could not be compared with Stripe last time. The server log says why.`,
        href: "/admin/jobs",
      },
    findings &&
      findings.mended > 0 && {
        text: `${many(findings.mended, "customer")} differed from Stripe at the last comparison, and ${findings.mended === 1 ? "was" : "were"} put right. If it happens again, events from Stripe get lost.`,
        href: "/admin/people",
      },
    counts.mailsGivenUp > 0 && {
      text: `${many(counts.mailsGivenUp, "mail")} ${counts.mailsGivenUp === 1 ? "was" : "were"} given up on this week, the first ${formatDuration(counts.oldestGivenUpSeconds ?? 0)} ago: the address may not exist.`,
      href: "/admin/mail?state=given_up",
    },
    counts.stuckMails > 0 && {
      text: `${many(counts.stuckMails, "mail")} could not be sent so far. A mail is tried for five days.`,
      href: "/admin/mail?state=failing",
    },
    counts.skippedPrice && {
      text: `A price of “${counts.skippedPrice.product}” at Stripe isn’t on sale here: it ${counts.skippedPrice.reason}.`,
      href: "/admin/plans",
    },
  ];
  return [...urgent.map((need) => need && { ...need, isUrgent: true }), ...others].filter((need) => !!need);
}

const sumOf = (owed: readonly Owed[]) => owed.reduce((sum, { count }) => sum + count, 0);
const amountsOf = (owed: readonly Owed[]) =>
  owed.map(({ amount, currency }) => formatMoney(amount, currency)).join(" and ");
const sinceOf = (owed: readonly Owed[]) =>
  `the oldest for ${formatDuration(Math.max(...owed.map(({ oldestSeconds }) => oldestSeconds)))}`;

function many(count: number, thing: string): string {
  if (count >= MOST_COUNTED) return `More than ${MOST_COUNTED.toLocaleString("en-US")} ${thing}s`;
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

const is = (count: number) => (count === 1 ? "is" : "are");
const has = (count: number) => (count === 1 ? "has" : "have");
