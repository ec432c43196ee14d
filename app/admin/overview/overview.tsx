import { Fragment } from "react";
import { formatMoney } from "../../billing/plans.ts";
import { PLAN_NAMES, TIERS, type Tier } from "../../entitlements/tiers.ts";
import { readFindings } from "../../figures/findings.server.ts";
import { readOverviewCounts } from "../../figures/overview-counts.server.ts";
import { readPaidBefore, readStanding, type Standing } from "../../figures/read.server.ts";
import { formatDuration } from "../../ui/format-duration.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { BarChart, PeriodLinks } from "../chart/chart.tsx";
import { beforeOf, periodQuery, readPeriod, sumOf } from "../chart/points.ts";
import { ConsolePage, ConsolePart, Facts, Figures, formatCount, Moment, Trend } from "../console-page.tsx";
import { readPoints } from "../funnel/tables.server.ts";
import { type Column, Table } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/overview.ts";
import { type Need, needsOf } from "./needs.server.ts";

const WEEKLY_FIGURES = ["revenue", "active", "plans_begun", "plans_ended", "joined", "waiting", "signed_up"];
const PAID = TIERS.map((tier) => `${tier}:paid`);

export async function loader(args: Route.LoaderArgs) {
  const { db, config, mailer, payments } = (await requireOperator(args)).app;
  const period = readPeriod(new URL(args.request.url).searchParams);
  const { currency } = config;
  const [counts, findings, standing, weekly, paidBefore] = await Promise.all([
    readOverviewCounts(db),
    readFindings(db),
    readStanding(db),
    readPoints(db, period, WEEKLY_FIGURES, ["", currency, "invited", ...PAID]),
    readPaidBefore(db, period.weeks),
  ]);
  const { eventDelaySeconds, unhandledEvents, oldestEventSeconds, openJobs, oldestDueSeconds } = counts;
  const refundsOpen = standing?.figures.find(({ name }) => name === "refunds_open")?.value ?? 0;
  return {
    needs: needsOf({ counts, findings, refundsOpen, isMailOn: mailer.isOn, arePaymentsOn: payments.isOn }),
    counts: { eventDelaySeconds, unhandledEvents, oldestEventSeconds, openJobs, oldestDueSeconds },
    comparedAt: findings?.comparedAt ?? null,
    standing,
    currency,
    period,
    paidBefore,
    before: {
      paying: sumOf(PAID.flatMap((label) => weekly("active", "last", label).at(-1)?.before ?? [])),
      invited: weekly("waiting", "last", "invited").at(-1)?.before?.value ?? 0,
    },
    weeks: {
      revenue: weekly("revenue", "last", currency),
      begun: weekly("plans_begun"),
      ended: weekly("plans_ended"),
      joined: weekly("joined"),
      waiting: weekly("waiting", "last"),
      signedUp: weekly("signed_up"),
    },
  };
}

export default function Overview({ loaderData }: Route.ComponentProps) {
  const { needs, counts, comparedAt, standing, currency, period, weeks, paidBefore } = loaderData;
  const [begun, ended] = [sumOf(weeks.begun), sumOf(weeks.ended)];
  const weekly = { of: "Week of", span: `${period.weeks} weeks` };
  return (
    <ConsolePage title="Overview">
      <Needs needs={needs} />
      {standing && <Headline {...loaderData} standing={standing} />}
      {standing ? (
        <div className="console-parts">
          <Plans standing={standing} />
          <Running counts={counts} standing={standing} comparedAt={comparedAt} />
        </div>
      ) : (
        <p>The figures are being counted. They appear within a minute.</p>
      )}
      <ConsolePart id="weeks" title="Week by week">
        <p className="text-quiet">
          Weeks begin on Monday, in UTC.{" "}
          {`In ${period.weeks} weeks ${formatCount(begun)} new ${begun === 1 ? "plan was" : "plans were"} paid for and ${formatCount(ended)} lost`}
          {paidBefore !== null &&
            paidBefore > 0 &&
            `: a churn of ${Math.round((100 * ended) / paidBefore)}% of the ${formatCount(paidBefore)} paid for before`}
          . A deleted account stays counted in its weeks.
        </p>
        <PeriodLinks period={period} hrefOf={(other) => `/admin?${periodQuery(other)}`} section="weeks" />
        <div className="charts">
          <BarChart
            {...weekly}
            title="Monthly recurring revenue, at the end of the week"
            points={weeks.revenue}
            format={(value) => formatMoney(value, currency)}
          />
          <BarChart {...weekly} title="New plans, paid for" points={weeks.begun} />
          <BarChart {...weekly} title="Lost plans, which had been paid for" points={weeks.ended} />
          <BarChart {...weekly} title="New accounts" points={weeks.signedUp} />
          <BarChart {...weekly} title="Joined the waitlist" points={weeks.joined} />
          <BarChart
            {...weekly}
            title="Confirmed on the waitlist, at the end of the week"
            points={weeks.waiting}
          />
        </div>
        <p className="console-links">
          <PageLink href="/admin/funnel">From the first view of a page to a plan: the funnel</PageLink>
        </p>
      </ConsolePart>
    </ConsolePage>
  );
}

function Needs({ needs }: { needs: Need[] }) {
  return (
    <ConsolePart id="needs" title="Needs a hand today">
      {needs.length === 0 ? (
        <p>Nothing. Jobs run, mail goes out, and every message is answered.</p>
      ) : (
        <ul className="needs grid gap-1">
          {needs.map(({ text, href, isUrgent }) => (
            <li key={text} data-urgent={isUrgent || undefined}>
              <PageLink href={href}>{text}</PageLink>
            </li>
          ))}
        </ul>
      )}
    </ConsolePart>
  );
}

const SOURCES = [
  { source: "paid", label: "Paid" },
  { source: "promo", label: "Promo code" },
  { source: "admin", label: "Given" },
];

function Headline(props: Route.ComponentProps["loaderData"] & { standing: Standing }) {
  const { standing, currency, period, weeks, before } = props;
  const { figures } = standing;
  const inCurrency = (value: number) => formatMoney(value, currency);
  const money = figures
    .filter(({ name, value, label }) => name === "revenue" && (value > 0 || label === currency))
    .map(({ label, value }) => formatMoney(value, label));
  const paying = sumOf(figures.filter(({ name, label }) => name === "active" && label.endsWith(":paid")));
  const waiting = figureOf(figures, "waiting") - figureOf(figures, "waiting", "invited");
  const [revenueBefore, waitingBefore] = [weeks.revenue, weeks.waiting].map(
    (points) => points.at(-1)?.before,
  );
  const ago = `${period.weeks} weeks ago`;
  return (
    <Figures
      figures={[
        [
          "Monthly revenue",
          money.join(" + ") || inCurrency(0),
          <Trend
            key="revenue"
            value={figureOf(figures, "revenue", currency)}
            before={revenueBefore?.value}
            format={inCurrency}
            than={ago}
          />,
        ],
        [
          "Paying",
          formatCount(paying),
          <Trend key="paying" value={paying} before={revenueBefore && before.paying} than={ago} />,
        ],
        [
          `New accounts in ${period.weeks} weeks`,
          formatCount(sumOf(weeks.signedUp)),
          <Fragment key="accounts">
            <Trend value={sumOf(weeks.signedUp)} before={beforeOf(weeks.signedUp)} />
            {` · ${formatCount(figureOf(figures, "people"))} accounts now`}
          </Fragment>,
        ],
        [
          "Waiting",
          formatCount(waiting),
          <Trend
            key="waiting"
            value={waiting}
            before={waitingBefore && waitingBefore.value - before.invited}
            than={ago}
            // Joining raises it, and inviting lowers it.
            isNeutral
          />,
        ],
      ]}
    />
  );
}

function Plans({ standing: { figures } }: { standing: Standing }) {
  const active = (tier: Tier | null, source?: string) =>
    figures
      .filter(({ name, label }) => {
        const [itsTier, itsSource] = label.split(":");
        return name === "active" && (!tier || itsTier === tier) && (!source || itsSource === source);
      })
      .reduce((sum, { value }) => sum + value, 0);
  const columns: Column<Tier | null>[] = [
    {
      header: "Plan",
      cell: (tier) => <span className="whitespace-nowrap">{tier ? PLAN_NAMES[tier] : "Total"}</span>,
    },
    ...SOURCES.map(({ source, label }) => ({
      header: label,
      isNumber: true,
      cell: (tier: Tier | null) => formatCount(active(tier, source)),
    })),
    { header: "Total", isNumber: true, cell: (tier) => formatCount(active(tier)) },
  ];
  const all = active(null);
  const invited = figureOf(figures, "waiting", "invited");
  return (
    <ConsolePart id="plans" title="Plans in force">
      <Table
        label="People by plan and source"
        caption="People by plan and where it comes from"
        rows={[...TIERS, null]}
        columns={columns}
        keyOf={(tier) => tier ?? "all"}
      />
      <Facts
        facts={[
          [
            "Promo share",
            all === 0
              ? "–"
              : `${Math.round((100 * active(null, "promo")) / all)}% have their plan from a promo code`,
          ],
          [
            "Waitlist",
            `${formatCount(figureOf(figures, "waiting") - invited)} waiting, ${formatCount(invited)} invited; ${formatCount(figureOf(figures, "waiting", "referral"))} joined by a friend’s link`,
          ],
        ]}
      />
    </ConsolePart>
  );
}

function figureOf(figures: Standing["figures"], name: string, label = ""): number {
  return figures.find((figure) => figure.name === name && figure.label === label)?.value ?? 0;
}

function Running(
  props: Pick<Route.ComponentProps["loaderData"], "counts" | "comparedAt"> & { standing: Standing },
) {
  const { counts, standing, comparedAt } = props;
  const delay = counts.eventDelaySeconds;
  return (
    <ConsolePart id="running" title="How it is running">
      <Facts
        facts={[
          [
            "Events from Stripe",
            delay === null ? "None yet" : `95% arrive within ${formatDuration(Math.ceil(delay))}`,
          ],
          ["Unhandled events", waitingFor(counts.unhandledEvents, counts.oldestEventSeconds)],
          ["Jobs not done", waitingFor(counts.openJobs, counts.oldestDueSeconds)],
          [
            "Compared with Stripe (UTC)",
            comparedAt ? <Moment key="compared" instant={comparedAt} /> : "Not compared yet",
          ],
          ["Figures counted (UTC)", <Moment key="counted" instant={standing.countedAt} />],
        ]}
      />
    </ConsolePart>
  );
}

function waitingFor(count: number, seconds: number | null): string {
  if (count === 0) return "None";
  return seconds === null || seconds < 1
    ? formatCount(count)
    : `${formatCount(count)}, the oldest due for ${formatDuration(seconds)}`;
}
