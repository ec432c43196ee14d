import { inArray } from "drizzle-orm";
import { differencesOf } from "../../audit/differences.ts";
import { actionsInLog, type LoggedChange } from "../../audit/read-log.server.ts";
import { user } from "../../auth/schema.ts";
import { FEATURE_NAMES, type Feature } from "../../entitlements/tiers.ts";
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

/** With the address of the account it was done to. */
type ListedChange = LoggedChange & { email: string | null };

const SUBJECT = /^([a-z_]+):(.+)$/s;

const userIn = (subject: string) => /^user:(.+)$/.exec(subject)?.[1];

export async function loader(args: Route.LoaderArgs) {
  const { query, page } = await loadList(args, CHANGES);
  const { db } = fromContext(args.context).app;
  const ids = page.rows.flatMap(({ subject }) => userIn(subject) ?? []);
  const people = await db.select({ id: user.id, email: user.email }).from(user).where(inArray(user.id, ids));
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  const rows = page.rows.map((row) => ({ ...row, email: emails.get(userIn(row.subject) ?? "") ?? null }));
  return { query, page: { ...page, rows }, actions: await actionsInLog(db) };
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

const COLUMNS: Column<ListedChange>[] = [
  { header: "When", sort: "at", cell: ({ at }) => <Moment instant={at} /> },
  { header: "Who", cell: ({ actor }) => <PageLink href={onlyWith("actor", actor)}>{actor}</PageLink> },
  {
    header: "What",
    isText: true,
    cell: (change) => (
      <>
        <Sentence words={sentenceOf(change)} />
        {change.reason && (
          <div className="text-quiet">
            “<bdi>{change.reason}</bdi>”
          </div>
        )}
      </>
    ),
  },
  { header: "To what", cell: (change) => <Subject {...change} /> },
  {
    header: "Details",
    cell: ({ action, subject, before, after }) => (
      <details data-quiet="">
        <summary>Show</summary>
        <code>
          {action} {subject}
        </code>
        <Changes before={before} after={after} />
      </details>
    ),
  },
];

/** Days stay on one line. */
function Sentence({ words }: { words: string }) {
  return (words.charAt(0).toUpperCase() + words.slice(1)).split(/(\d{4}-\d\d-\d\d)/).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
      <span key={index} className="whitespace-nowrap">
        {part}
      </span>
    ) : (
      part
    ),
  );
}

function Subject(change: ListedChange) {
  const { name, href } = describeSubject(change);
  return (
    <>
      {href ? <PageLink href={href}>{name}</PageLink> : name}
      <div>
        <PageLink href={onlyWith("subject", change.subject)} className="text-quiet">
          Its history
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

/** What a change was made to, by a name that people know. */
function describeSubject({ subject, before, after, email }: ListedChange): { name: string; href?: string } {
  const [, kind = "", id = ""] = SUBJECT.exec(subject) ?? [];
  const named = { ...before, ...after };
  const path = encodeURIComponent(id);
  switch (kind) {
    case "user":
      return email ? { name: email, href: `/admin/people/${path}` } : { name: "A deleted account" };
    case "promo_code":
      return { name: id, href: `/admin/codes/${path}` };
    case "promo_batch":
      return { name: String(named.name ?? "The batch"), href: `/admin/batches/${path}` };
    case "contact_message":
      return { name: "The message", href: `/admin/messages/${path}` };
    case "changelog_entry":
      return { name: String(named.title ?? "The entry"), href: `/admin/changelog/${path}` };
    case "waitlist_invitation":
      return { name: "The invitation", href: `/admin/waitlist/invitations/${path}` };
    case "feature":
      return { name: id in FEATURE_NAMES ? FEATURE_NAMES[id as Feature] : id, href: "/admin/features" };
    case "job":
      return { name: `Job ${id}`, href: `/admin/jobs?job=${path}` };
    default:
      return { name: humanizeAction(kind) };
  }
}
