import { formatMoney } from "../../billing/plans.ts";
import type { Findings } from "../../figures/findings.server.ts";
import {
  MOST_COUNTED,
  type OverviewCounts,
  type Owed,
  type Stuck,
} from "../../figures/overview-counts.server.ts";
import { formatDuration } from "../../ui/format-duration.ts";
import { isMailServerError, kindInWords } from "../jobs/job-words.ts";

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
  const { unpaid, overdue, disputed, failedRefunds, refundsReturned, stuckMails, stuckJobs } = counts;
  const unanswered = counts.unansweredMessages > 0 && {
    text: `${many(counts.unansweredMessages, "unanswered message")}. Oldest: ${formatDuration(counts.oldestMessageSeconds ?? 0)}.`,
    href: "/admin/messages",
  };
  const isLate = (counts.oldestMessageSeconds ?? 0) > LATE_ANSWER_SECONDS;
  const isMailServerAway = stuckMails !== null && isMailServerError(stuckMails.lastError ?? "");
  const stuckMailsInWords =
    stuckMails && `${many(stuckMails.count, "email")} ${is(stuckMails.count)} stuck, ${triesOf(stuckMails)}.`;
  const urgent: (Need | false | null)[] = [
    !arePaymentsOn && {
      text: "Payments are off: nobody can buy a plan. The server log says why.",
      href: "/admin/plans",
    },
    !isMailOn && {
      text: "Email is off: nothing is sent until it’s back. The server log says why.",
      href: "/admin/mail",
    },
    isMailServerAway && {
      text: `The mail server isn’t answering. ${stuckMailsInWords}`,
      href: "/admin/jobs?state=failing",
    },
    failedRefunds > 0 && {
      text: `${many(failedRefunds, "refund")} failed at Stripe. We keep trying, and the list of jobs says why.`,
      href: "/admin/jobs?state=failing",
    },
    refundsReturned.length > 0 && {
      text: `${many(sumOf(refundsReturned), "refund")} came back from the bank: ${amountsOf(refundsReturned)}. ${oldestOf(refundsReturned)} Still owed: pay again or in another way.`,
      href: "/admin/people?trouble=refund",
    },
    disputed.length > 0 && {
      text: `${many(sumOf(disputed), "disputed payment")}: ${amountsOf(disputed)}. ${oldestOf(disputed)} Answer in Stripe’s dashboard.`,
      href: "/admin/people?trouble=dispute",
    },
    overdue.length > 0 && {
      text: `${many(sumOf(overdue), "overdue payment")}, no longer retried: ${amountsOf(overdue)}. ${oldestOf(overdue)}`,
      href: "/admin/people?trouble=payment",
    },
    sumOf(unpaid) > sumOf(overdue) && {
      text: `${many(sumOf(unpaid), "failed payment")}, still owed: ${amountsOf(unpaid)}. ${oldestOf(unpaid)}`,
      href: "/admin/people?trouble=payment",
    },
    refundsOpen > 0 && {
      text: `${many(refundsOpen, "refund")} requested over an hour ago ${has(refundsOpen)} not reached Stripe. The list of jobs says why.`,
      href: "/admin/jobs",
    },
    stuckJobs !== null && {
      text:
        stuckJobs.count === 1
          ? `“${kindInWords(stuckJobs.kind)}” keeps failing: ${triesOf(stuckJobs)}.`
          : `${many(stuckJobs.count, "job")} keep failing. The worst is “${kindInWords(stuckJobs.kind)}”: ${triesOf(stuckJobs)}.`,
      href: "/admin/jobs?state=failing",
    },
    (counts.oldestDueSeconds ?? 0) > LATE_JOB_SECONDS && {
      text: `A job was due ${formatDuration(counts.oldestDueSeconds ?? 0)} ago, and nothing has taken it.`,
      href: "/admin/jobs",
    },
    (counts.oldestEventSeconds ?? 0) > LATE_EVENT_SECONDS && {
      text: `${many(counts.unhandledEvents, "unhandled event")} from Stripe. Oldest: ${formatDuration(counts.oldestEventSeconds ?? 0)}. Someone may have paid and not have their plan.`,
      href: "/admin/jobs",
    },
    findings &&
      findings.orphans > 0 && {
        text: `${many(findings.orphans, "paid subscription")} at Stripe ${has(findings.orphans)} no account here.`,
        href: "/admin/jobs",
      },
    isLate && unanswered,
  ];
  const others: typeof urgent = [
    !isLate && unanswered,
    findings &&
      findings.failed > 0 && {
        text: `${many(findings.failed, "customer")} couldn’t be compared with Stripe last time. The server log says why.`,
        href: "/admin/jobs",
      },
    findings &&
      findings.mended > 0 && {
        text: `${many(findings.mended, "customer")} differed from Stripe at the last comparison. We corrected ${findings.mended === 1 ? "it" : "them"}. If it happens again, events from Stripe are getting lost.`,
        href: "/admin/people",
      },
    counts.mailsGivenUp > 0 && {
      text: `${many(counts.mailsGivenUp, "email")} couldn’t be delivered this week. The ${counts.mailsGivenUp === 1 ? "address" : "addresses"} may not exist.`,
      href: "/admin/mail?state=given_up",
    },
    !isMailServerAway &&
      stuckMailsInWords !== null && {
        text: `${stuckMailsInWords} We try for five days.`,
        href: "/admin/mail?state=failing",
      },
    counts.skippedPrice && {
      text: `“${counts.skippedPrice.product}” isn’t on sale here: it ${counts.skippedPrice.reason}.`,
      href: "/admin/plans",
    },
  ];
  return [...urgent.map((need) => need && { ...need, isUrgent: true }), ...others].filter((need) => !!need);
}

const sumOf = (owed: readonly Owed[]) => owed.reduce((sum, { count }) => sum + count, 0);
const amountsOf = (owed: readonly Owed[]) =>
  owed.map(({ amount, currency }) => formatMoney(amount, currency)).join(" and ");
const oldestOf = (owed: readonly Owed[]) =>
  `Oldest: ${formatDuration(Math.max(...owed.map(({ oldestSeconds }) => oldestSeconds)))}.`;
/** "7 tries in 2 hours" */
const triesOf = ({ attempts, seconds }: Stuck) => `${attempts} tries in ${formatDuration(seconds)}`;

function many(count: number, thing: string): string {
  if (count >= MOST_COUNTED) return `More than ${MOST_COUNTED.toLocaleString("en-US")} ${thing}s`;
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

const is = (count: number) => (count === 1 ? "is" : "are");
const has = (count: number) => (count === 1 ? "has" : "have");
