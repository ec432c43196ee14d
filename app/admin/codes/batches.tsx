import { getTableColumns, sql } from "drizzle-orm";
import { promoBatches, promoCodes } from "../../promo/schema.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePage, formatCount, Moment, State } from "../console-page.tsx";
import { loadList } from "../lists/list.server.ts";
import { List } from "../lists/list.tsx";
import { readListQuery } from "../lists/list-query.ts";
import { listSource, type RowOf } from "../lists/list-source.server.ts";
import type { Column } from "../lists/table.tsx";
import type { Route } from "./+types/batches.ts";
import { describeGift } from "./code-words.ts";

/** So few batches that it needs neither index nor file. */
const BATCHES = listSource({
  name: "batches",
  readQuery: (search) => readListQuery(search, { sorts: ["created"], isDescending: true, filters: [] }),
  keyset: () => ({ by: promoBatches.createdAt, id: promoBatches.id }),
  select: (db, { where, orderBy, limit, cursor }) =>
    db
      .select({ ...getTableColumns(promoBatches), redeemed: REDEEMED, cursor })
      .from(promoBatches)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit),
  columns: [],
});

const REDEEMED = sql<number>`(
  SELECT count(*)::int FROM ${promoCodes} WHERE batch_id = promo_batches.id AND used_count > 0)`;

export async function loader(args: Route.LoaderArgs) {
  return loadList(args, BATCHES);
}

const COLUMNS: Column<RowOf<typeof BATCHES>>[] = [
  {
    header: "Name",
    isText: true,
    cell: ({ id, name }) => (
      <PageLink href={`/admin/batches/${id}`}>
        <bdi>{name}</bdi>
      </PageLink>
    ),
  },
  {
    header: "Redeemed",
    isNumber: true,
    cell: ({ redeemed, size }) => `${formatCount(redeemed)} of ${formatCount(size)}`,
  },
  {
    header: "State",
    isPlain: true,
    cell: ({ finishedAt }) =>
      finishedAt ? <State word="Ready" tone="good" /> : <State word="Being made" tone="quiet" />,
  },
  { header: "Gives", isPlain: true, cell: describeGift },
  { header: "Ends (UTC)", cell: ({ expiresAt }) => expiresAt && <Moment instant={expiresAt} isDay /> },
  { header: "Created (UTC)", isWide: true, cell: ({ createdAt }) => <Moment instant={createdAt} isDay /> },
];

export default function Batches({ loaderData: { query, page } }: Route.ComponentProps) {
  return (
    <ConsolePage
      title="Batches"
      above={{ href: "/admin/codes", label: "Promo codes" }}
      actions={<ButtonLink href="/admin/batches/new">Create a batch</ButtonLink>}
    >
      <List of="batches" query={query} page={page} columns={COLUMNS} />
    </ConsolePage>
  );
}
