import { PageLink } from "../../ui/page-link.tsx";
import { Moment } from "../console-page.tsx";
import type { ListPage } from "../lists/keyset.server.ts";
import type { Cursor } from "../lists/list-query.ts";
import { type Column, Table } from "../lists/table.tsx";
import { describeEntry, type EntryKind, KIND_NAMES, pageOfEntry } from "./timeline-words.ts";

/** Something that happened to a person's account. */
export interface Entry {
  key: string;
  at: Date;
  kind: EntryKind;
  facts: Record<string, unknown>;
  cursor: Cursor;
}

/** The history of a person, the newest first. */
export function Timeline({ page: { rows, next, previous } }: { page: ListPage<Entry> }) {
  return (
    <>
      <Table label="Table of what happened" rows={rows} columns={COLUMNS} keyOf={({ key }) => key} />
      {(next || previous) && (
        <nav aria-label="Pages of what happened" className="console-pages">
          {previous && <PageLink href="?#history">Newest</PageLink>}
          {previous && <PageLink href={`?before=${previous}#history`}>Newer</PageLink>}
          {next && <PageLink href={`?after=${next}#history`}>Older</PageLink>}
        </nav>
      )}
    </>
  );
}

const COLUMNS: Column<Entry>[] = [
  { header: "When (UTC)", cell: ({ at }) => <Moment instant={at} /> },
  { header: "Kind", cell: ({ kind }) => KIND_NAMES[kind] },
  { header: "What", isText: true, cell: (entry) => <What {...entry} /> },
];

function What({ kind, facts }: Pick<Entry, "kind" | "facts">) {
  const [words, page] = [describeEntry(kind, facts), pageOfEntry(kind, facts)];
  return page ? <PageLink href={page}>{words}</PageLink> : words;
}
