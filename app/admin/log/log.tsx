import { differencesOf } from "../../audit/differences.ts";
import { actionsInLog, type LoggedChange } from "../../audit/read-log.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePage, Moment } from "../console-page.tsx";
import { loadList } from "../lists/list.server.ts";
import { List } from "../lists/list.tsx";
import { changeQuery } from "../lists/list-query.ts";
import type { Column } from "../lists/table.tsx";
import type { Route } from "./+types/log.ts";
import { CHANGES } from "./list-changes.server.ts";
import { humanizeAction, sentenceOf } from "./sentence.ts";

export async function loader(args: Route.LoaderArgs) {
  return {
    ...(await loadList(args, CHANGES)),
    actions: await actionsInLog(fromContext(args.context).app.db),
  };
}

export default function Log({ loaderData: { query, page, actions } }: Route.ComponentProps) {
  return (
    <ConsolePage title="Audit log">
      <p className="text-quiet">
        Everything done in this console or with <code>npm run ops</code>. Entries are only ever added: the
        site has no right to change one.
      </p>
      <List
        of="changes"
        query={query}
        page={page}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        filters={[
          { name: "actor", label: "Who", placeholder: "Whole email address" },
          {
            name: "action",
            label: "What",
            choices: actions.map((action) => ({ value: action, label: humanizeAction(action) })),
          },
          { name: "subject", label: "To what", placeholder: "user:8c1f…" },
        ]}
        csv="/admin/log.csv"
      />
    </ConsolePage>
  );
}

const COLUMNS: Column<LoggedChange>[] = [
  { header: "When", sort: "at", cell: ({ at }) => <Moment instant={at} /> },
  { header: "Who", cell: ({ actor }) => <PageLink href={onlyWith("actor", actor)}>{actor}</PageLink> },
  {
    header: "What",
    isText: true,
    cell: (change) => (
      <>
        {sentenceOf(change)}
        {change.reason && (
          <div className="text-quiet">
            “<bdi>{change.reason}</bdi>”
          </div>
        )}
      </>
    ),
  },
  { header: "To what", cell: ({ subject }) => <Subject subject={subject} /> },
  {
    header: "Raw values",
    cell: ({ action, before, after }) => (
      <details>
        <summary>Show</summary>
        <code>{action}</code>
        <Changes before={before} after={after} />
      </details>
    ),
  },
];

function Subject({ subject }: { subject: string }) {
  const href = hrefOfSubject(subject);
  return (
    <>
      {href ? <PageLink href={href}>{subject}</PageLink> : subject}
      <div>
        <PageLink href={onlyWith("subject", subject)} className="text-quiet">
          All about it
        </PageLink>
      </div>
    </>
  );
}

function Changes({ before, after }: Pick<LoggedChange, "before" | "after">) {
  return (
    <ul className="console-changes">
      {differencesOf(before, after).map(({ field, before: old, after: now, hasChanged }) => (
        <li key={field}>
          <span className="text-quiet">{field}:</span>{" "}
          {hasChanged && old !== null && (
            <>
              <del dir="auto">{old}</del>{" "}
            </>
          )}
          {hasChanged && now !== null ? <ins dir="auto">{now}</ins> : !hasChanged && <bdi>{old}</bdi>}
          {hasChanged && now === null && <span className="text-quiet">(gone)</span>}
        </li>
      ))}
    </ul>
  );
}

function onlyWith(filter: string, value: string): string {
  return changeQuery("", { [filter]: value });
}

const PAGES: Record<string, string> = {
  user: "/admin/people/",
  promo_code: "/admin/codes/",
  promo_batch: "/admin/batches/",
  contact_message: "/admin/messages/",
  changelog_entry: "/admin/changelog/",
};

function hrefOfSubject(subject: string): string | null {
  const [, kind = "", id = ""] = /^([a-z_]+):(.+)$/s.exec(subject) ?? [];
  const page = PAGES[kind];
  return page ? page + encodeURIComponent(id) : null;
}
