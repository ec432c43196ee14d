import { PageLink } from "../../ui/page-link.tsx";
import type { ListPage } from "../lists/keyset.server.ts";
import { Moment } from "../moment.tsx";
import { TableFrame } from "../table-frame.tsx";
import type { Entry } from "./timeline.server.ts";
import { describeEntry, KIND_NAMES, pageOfEntry } from "./timeline-words.ts";

/** What happened to somebody, the newest first. */
export function Timeline({ page: { rows, next, previous } }: { page: ListPage<Entry> }) {
  return (
    <>
      <TableFrame label="Table of what happened">
        <table>
          <thead>
            <tr>
              <th>When (UTC)</th>
              <th>Kind</th>
              <th>What</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, at, kind, facts }) => (
              <tr key={key}>
                <td>
                  <Moment instant={at} />
                </td>
                <td>{KIND_NAMES[kind]}</td>
                <td className="words">
                  <What kind={kind} facts={facts} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
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

function What({ kind, facts }: Pick<Entry, "kind" | "facts">) {
  const [words, page] = [describeEntry(kind, facts), pageOfEntry(kind, facts)];
  return page ? <PageLink href={page}>{words}</PageLink> : words;
}
