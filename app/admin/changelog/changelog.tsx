import { randomUUID } from "node:crypto";
import { redirect } from "react-router";
import { submitForm } from "../../http/submit-form.server.ts";
import { entryForm, listEntries, saveEntry } from "../../news/changelog.server.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { ConsolePage, ConsolePart, Moment } from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { type Column, Table } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/changelog.ts";
import { EntryForm } from "./entry-form.tsx";

const FLASHES: Flashes = { deleted: ["good", "Deleted. It’s gone from every page."] };

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireOperator(args);
  const entries = await listEntries(db);
  return { entries, blank: { id: randomUUID(), day: new Date().toISOString().slice(0, 10) } };
}

export async function action(args: Route.ActionArgs) {
  return submitForm(args, {
    schema: entryForm,
    failure: "an entry of the changelog was not saved",
    sender: requireOperator,
    work: async (entry, { db, operator }) => {
      await saveEntry(db, operator, entry);
      return redirect(`/admin/changelog/${entry.id}?said=saved`, 303);
    },
  });
}

export default function Changelog({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <ConsolePage title="Changelog">
      <div className="console-parts">
        <ConsolePart id="entries" title="Entries">
          <Table
            label="Table of entries"
            rows={loaderData.entries}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            none="None yet."
          />
        </ConsolePart>
        <ConsolePart id="new" title="Add an entry">
          <p>
            Goes live immediately on <PageLink href="/changelog">the public page</PageLink>, in its feed, and
            on every dashboard. You can email it afterward.
          </p>
          <EntryForm entry={loaderData.blank} answer={actionData} isNew />
        </ConsolePart>
      </div>
    </ConsolePage>
  );
}

type Entry = Awaited<ReturnType<typeof listEntries>>[number];

const COLUMNS: Column<Entry>[] = [
  {
    header: "Title",
    isText: true,
    cell: ({ id, title }) => <PageLink href={`/admin/changelog/${id}`}>{title}</PageLink>,
  },
  { header: "Date", cell: ({ day }) => day },
  {
    header: "Emailed (UTC)",
    cell: ({ mailedAt }) => (mailedAt ? <Moment instant={mailedAt} /> : "Not yet"),
  },
];
