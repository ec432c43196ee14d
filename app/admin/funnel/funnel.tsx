import type { ReactNode } from "react";
import { readStanding } from "../../figures/read.server.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { BarChart, PeriodLinks } from "../chart/chart.tsx";
import { Change, ConsolePage, Figures, formatCount, Moment, State, Trend } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import { useCurrentInView } from "../use-current-in-view.ts";
import type { Route } from "./+types/funnel.ts";
import { type By, funnelPath, readFunnelQuery, TRIED, VIEWS, VISITED } from "./query.ts";
import { readPoints, readTable } from "./tables.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireOperator(args);
  const query = readFunnelQuery(new URL(args.request.url).searchParams);
  const [table, weekly, standing] = await Promise.all([
    readTable(db, query),
    query.by === "steps" ? readPoints(db, query, CHARTED, [query.of]) : null,
    readStanding(db),
  ]);
  const charts = weekly ? CHARTED.map((name) => weekly(name, "sum", query.of)) : [];
  return { query, table, charts, countedAt: standing?.countedAt };
}

const CHARTED = ["signed_up", "paid", "stayed"];
const CHART_TITLES = ["New accounts", "First payments", "Stayed a month"];

const NOTES: Record<By, string> = {
  steps:
    "Each step counts events of its period, not one group of people. Bars are all on one scale. “Tried it” is every visit of a page whose example was typed into, or whose form was sent: no cookie, and nothing of what was typed.",
  week: "Columns count events that week, not one group of people.",
  day: "Each step is counted on the day it was taken, in UTC.",
  page: "Views of pages that need no account. A page that a browser fetches before its link is pressed, as Chrome does on our own pages, is not counted, nor is a program that says it is one.",
  host: "The site whose link was followed, as far as browsers tell. Only its name is kept.",
  code: "Of people who had redeemed the code before. Codes for one use are counted together, and so are those of a batch.",
  referral:
    "People with an account count as brought by a friend while their address is on the waitlist by a friend’s link.",
};

const TITLES: Record<By, string> = {
  steps: "The funnel",
  week: "The funnel by week",
  day: "The funnel by day",
  page: "Views by page",
  host: "Views by referring host",
  code: "The funnel by promo code",
  referral: "The funnel by referral",
};

export default function Funnel({ loaderData: { query, table, charts, countedAt } }: Route.ComponentProps) {
  const { by, of, weeks } = query;
  const views = useCurrentInView();
  return (
    <ConsolePage title="Funnel">
      <div>
        <nav ref={views} aria-label="What the rows are" className="console-nav console-pages console-row">
          {VIEWS.map((view) => (
            <PageLink
              key={view.by}
              href={funnelPath({ ...query, by: view.by })}
              aria-current={view.by === by ? "page" : undefined}
            >
              {view.label}
            </PageLink>
          ))}
        </nav>
        <PeriodLinks
          period={query}
          hrefOf={(period) => funnelPath({ ...query, ...period })}
          canCompare={by === "steps"}
        />
        <details data-quiet="">
          <summary>How these are counted</summary>
          <p className="text-quiet">
            {NOTES[by]}
            {countedAt && (
              <>
                {" "}
                As of <Moment instant={countedAt} /> UTC.
              </>
            )}
          </p>
        </details>
      </div>
      {of && by === "steps" && (
        <p>
          {`Only ${nameOf(of)}. `}
          <PageLink href={funnelPath({ ...query, of: "" })}>Everyone</PageLink>
        </p>
      )}
      {by === "steps" ? (
        <Steps table={table} query={query} />
      ) : (
        <Table
          label={TITLES[by]}
          caption={TITLES[by]}
          rows={table.rows}
          columns={columnsOf(table.header, query)}
          keyOf={({ name }) => name}
          none="Nothing was counted in this time."
        />
      )}
      {charts.length > 0 && (
        <div className="charts">
          {charts.map((points, index) => (
            <BarChart
              key={CHART_TITLES[index]}
              title={CHART_TITLES[index] ?? ""}
              of="Week of"
              points={points}
              span={`${weeks} weeks`}
            />
          ))}
        </div>
      )}
      {table.rows.length > 0 && (
        <p className="console-pages">
          <PageLink href={funnelPath(query, "/admin/funnel.csv")}>Download as CSV</PageLink>
        </p>
      )}
    </ConsolePage>
  );
}

type Data = Route.ComponentProps["loaderData"];
type Row = Data["table"]["rows"][number];

function nameOf(label: string): string {
  if (label === "referral") return "people whom a friend’s link brought";
  return label.startsWith("code:") ? `people with the code ${label.slice(5)}` : "people with these codes";
}

const countOf = (row: Row | undefined, period: number) => row?.counts[period] ?? 0;

/** Those of `row` among those of `above`, in percent. */
function shareOf(row: Row | undefined, above: Row | undefined, period: number): number {
  const all = countOf(above, period);
  return all === 0 ? 0 : (100 * countOf(row, period)) / all;
}

function percent(share: number): string {
  return `${share.toFixed(share > 0 && share < 10 ? 1 : 0)}%`;
}

/** What the shares of the next step are of, by the name of a step. */
const OF: Partial<Record<string, string>> = {
  [VISITED]: "visits",
  "Joined or signed up": "joined",
  "Confirmed their address": "confirmed",
  "Redeemed it": "redeemed",
  "Chose a plan": "chosen",
  Paid: "paid",
};

/** Of the step above: "34% of confirmed", marked where it differs from the share before. */
function Share({ share, before, of }: { share: number; before: number | undefined; of: string }) {
  const words = `${percent(share)} of ${of}`;
  if (before === undefined || percent(share) === percent(before)) return words;
  return <State word={words} tone={share > before ? "good" : "bad"} />;
}

function Steps({ table: { rows }, query }: Pick<Data, "table" | "query">) {
  const { weeks, isCompared } = query;
  const [first] = rows;
  const named = (name: string) => rows.find((row) => row.name === name);
  const periods = isCompared ? [0, 1] : [0];
  const before = (value: number) => (isCompared ? value : undefined);
  const shown = [...new Set([first, named("Joined or signed up"), named("Paid")])].filter((row) => !!row);
  const most = Math.max(1, ...rows.flatMap(({ counts }) => counts));
  const [paid, paidBefore] = [0, 1].map((period) => shareOf(named("Paid"), first, period));
  return (
    <>
      <Figures
        figures={[
          ...shown.map((row): [string, string, ReactNode] => [
            row.name,
            formatCount(countOf(row, 0)),
            <Trend key={row.name} value={countOf(row, 0)} before={before(countOf(row, 1))} />,
          ]),
          [
            first?.name === VISITED ? "Visits that paid" : "Of these, paid",
            percent(paid ?? 0),
            isCompared && <ShareTrend key="paid" share={paid ?? 0} before={paidBefore ?? 0} />,
          ],
        ]}
      />
      <section aria-labelledby="steps" className="console-part">
        <h2 id="steps">{`Step by step, in ${weeks} weeks${isCompared ? ` and the ${weeks} before` : ""}`}</h2>
        <ol className="funnel">
          {rows.map((row, index) => {
            // Trying it is no condition of joining.
            const above = rows.slice(0, index).findLast(({ name }) => name !== TRIED);
            return (
              <li key={row.name}>
                <div className="funnel-step">
                  <strong>{row.name}</strong>
                  {isCompared && <Change value={countOf(row, 0)} before={countOf(row, 1)} />}
                </div>
                {periods.map((period) => (
                  <div key={period} className="funnel-period" data-before={period || undefined}>
                    <span className="funnel-track" aria-hidden="true">
                      <span style={{ width: `${(100 * countOf(row, period)) / most}%` }} />
                    </span>
                    <span>
                      {period > 0 && "Before: "}
                      {formatCount(countOf(row, period))}
                    </span>
                    <span>
                      {above && (
                        <Share
                          share={shareOf(row, above, period)}
                          before={period === 0 ? before(shareOf(row, above, 1)) : undefined}
                          of={OF[above.name] ?? "those"}
                        />
                      )}
                    </span>
                  </div>
                ))}
              </li>
            );
          })}
        </ol>
      </section>
    </>
  );
}

/** "▼ down from 1.1%" */
function ShareTrend({ share, before }: { share: number; before: number }) {
  if (percent(share) === percent(before)) return <State word="no change" tone="quiet" />;
  return (
    <>
      {share > before ? <State word="▲ up" tone="good" /> : <State word="▼ down" tone="bad" />}
      {` from ${percent(before)}`}
    </>
  );
}

function columnsOf([first, ...steps]: readonly [string, ...string[]], query: Data["query"]): Column<Row>[] {
  return [
    {
      header: first,
      cell: ({ name, href, of }) => (
        <>
          <bdi>{href ? <PageLink href={href}>{name}</PageLink> : name}</bdi>
          {of && (
            <div>
              <PageLink href={funnelPath({ ...query, by: "steps", of })} className="text-quiet">
                Step by step<span className="sr-only">{`, ${name}`}</span>
              </PageLink>
            </div>
          )}
        </>
      ),
    },
    ...steps.map((header, index) => ({
      header,
      isNumber: true,
      cell: ({ counts }: Row) => formatCount(counts[index] ?? 0),
    })),
  ];
}
