import { fromContext } from "../../http/context.server.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePage } from "../console-page.tsx";
import { type Column, List } from "../lists/list.tsx";
import { readListQuery } from "../lists/list-query.ts";
import { Moment } from "../moment.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/batches.ts";
import { describeGift } from "./code-words.ts";
import { BATCH_LIST, type ListedBatch, listBatches } from "./list-batches.server.ts";

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
  { header: "Codes", isNumber: true, cell: ({ size }) => size.toLocaleString("en-US") },
  {
    header: "State",
    cell: ({ finishedAt }) => (
      <span className="state" data-tone={finishedAt ? "good" : "quiet"}>
        {finishedAt ? "Made" : "Being made"}
      </span>
    ),
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
