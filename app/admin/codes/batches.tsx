import type { Queryable } from "../../db/client.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { promoBatches } from "../../promo/schema.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePage, formatCount, Moment, State } from "../console-page.tsx";
import { readPage } from "../lists/keyset.server.ts";
import { List } from "../lists/list.tsx";
import { type ListQuery, type ListRules, readListQuery } from "../lists/list-query.ts";
import type { Column } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/batches.ts";
import { describeGift } from "./code-words.ts";

export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  const query = readListQuery(new URL(args.request.url).searchParams, BATCH_LIST);
  return { query, page: await listBatches(fromContext(args.context).app.db, query) };
}

const COLUMNS: Column<ListedBatch>[] = [
  {
    header: "Name",
    cell: ({ id, name }) => (
      <PageLink href={`/admin/batches/${id}`}>
        <bdi>{name}</bdi>
      </PageLink>
    ),
  },
  { header: "Codes", isNumber: true, cell: ({ size }) => formatCount(size) },
  {
    header: "State",
    cell: ({ finishedAt }) =>
      finishedAt ? <State word="Made" tone="good" /> : <State word="Being made" tone="quiet" />,
  },
  { header: "Gives", cell: describeGift },
  { header: "Ends (UTC)", cell: ({ expiresAt }) => <Moment instant={expiresAt} /> },
  { header: "Created (UTC)", cell: ({ createdAt }) => <Moment instant={createdAt} /> },
];

export default function Batches({ loaderData: { query, page } }: Route.ComponentProps) {
  return (
    <ConsolePage
      title="Batches"
      above={[{ href: "/admin/codes", label: "Promo codes" }]}
      actions={<ButtonLink href="/admin/batches/new">Create a batch</ButtonLink>}
    >
      <List of="batches" query={query} page={page} columns={COLUMNS} keyOf={({ id }) => id} />
    </ConsolePage>
  );
}

const BATCH_LIST: ListRules = { sorts: ["created"], isDescending: true, filters: [] };

/** A page of the batches. There are few of them, so none of it needs an index. */
function listBatches(db: Queryable, query: ListQuery) {
  return readPage(
    { by: promoBatches.createdAt, type: "timestamptz", id: promoBatches.id, idType: "text" },
    query,
    ({ where, orderBy, limit, cursor }) =>
      db
        .select({ row: promoBatches, cursor })
        .from(promoBatches)
        .where(where)
        .orderBy(...orderBy)
        .limit(limit)
        .then((rows) => rows.map(({ row, cursor }) => ({ ...row, cursor }))),
  );
}

type ListedBatch = Awaited<ReturnType<typeof listBatches>>["rows"][number];
