import { readStanding } from "../../figures/read.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { BarChart, PeriodLinks } from "../chart/chart.tsx";
import { ConsolePage, formatCount, Moment } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/funnel.ts";
import { type By, funnelPath, readFunnelQuery, VIEWS } from "./query.ts";
import { readPoints, readTable } from "./tables.server.ts";

export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  const query = readFunnelQuery(new URL(args.request.url).searchParams);
  const { db } = fromContext(args.context).app;
  const [table, views, standing] = await Promise.all([
    readTable(db, query),
    query.by === "week" ? readPoints(db, query, ["views"]).then((weekly) => weekly("views")) : null,
    readStanding(db),
  ]);
  return { query, table, views, countedAt: standing?.countedAt };
}

const NOTES: Record<By, string> = {
  week: "Each step is counted in the week it was taken, so the people of a row are not the same from column to column.",
  day: "Each step is counted on the day it was taken, in UTC.",
  page: "Views of pages that need no account. A page that a browser fetches before its link is pressed, as Chrome does on our own pages, is not counted, nor is a program that says it is one.",
  host: "The site whose link was followed, as far as browsers tell. Only its name is kept.",
  code: "Of people who had redeemed the code before. Codes for one use are counted together, and so are those of a batch.",
  referral:
    "People with an account count as brought by a friend while their address is on the waitlist by a friend’s link.",
};

const TITLES: Record<By, string> = {
  week: "The funnel by week",
  day: "The funnel by day",
  page: "Views by page",
  host: "Views by referring host",
  code: "The funnel by promo code",
  referral: "The funnel by referral",
};

export default function Funnel({ loaderData: { query, table, views, countedAt } }: Route.ComponentProps) {
  const { by, weeks } = query;
  return (
    <ConsolePage title="Funnel">
      <nav aria-label="What the rows are" className="console-pages">
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
        canCompare={views !== null}
      />
      <p className="text-quiet">
        {NOTES[by]}
        {countedAt && (
          <>
            {" "}
            Counted <Moment instant={countedAt} />.
          </>
        )}
      </p>
      <Table
        label={TITLES[by]}
        caption={TITLES[by]}
        rows={table.rows}
        columns={columnsOf(table.header)}
        keyOf={({ name }) => name}
        none="Nothing was counted in this time."
      />
      {views && <BarChart title="Views of pages" of="Week of" points={views} span={`${weeks} weeks`} />}
      {table.rows.length > 0 && (
        <p className="console-pages">
          <PageLink href={funnelPath(query, "/admin/funnel.csv")}>Download as CSV</PageLink>
        </p>
      )}
    </ConsolePage>
  );
}

type Row = Route.ComponentProps["loaderData"]["table"]["rows"][number];

function columnsOf([first, ...steps]: readonly [string, ...string[]]): Column<Row>[] {
  return [
    {
      header: first,
      cell: ({ name, href }) => <bdi>{href ? <PageLink href={href}>{name}</PageLink> : name}</bdi>,
    },
    ...steps.map((header, index) => ({
      header,
      isNumber: true,
      cell: ({ counts }: Row) => formatCount(counts[index] ?? 0),
    })),
  ];
}
