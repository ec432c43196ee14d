import { inArray } from "drizzle-orm";
import { differencesOf } from "../../audit/differences.ts";
import { actionsInLog } from "../../audit/read-log.server.ts";
import { user } from "../../auth/schema.ts";
import { fromContext } from "../../http/context.server.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { capitalize } from "../capitalize.ts";
import { ConsolePage, Moment } from "../console-page.tsx";
import { loadList } from "../lists/list.server.ts";
import { List } from "../lists/list.tsx";
import { changeQuery } from "../lists/list-query.ts";
import type { Column } from "../lists/table.tsx";
import type { Route } from "./+types/log.ts";
import { CHANGES, type LoggedChange } from "./list-changes.server.ts";
import { humanizeAction, sentenceOf } from "./sentence.ts";

/** With the address of the account it was done to. */
type ListedChange = LoggedChange & { email: string | null };

export async function loader(args: Route.LoaderArgs) {
  const { query, page } = await loadList(args, CHANGES);
  const { db } = fromContext(args.context).app;
  const ids = page.rows.map(({ subject }) => partsOf(subject)[1]);
  const people = await db.select({ id: user.id, email: user.email }).from(user).where(inArray(user.id, ids));
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  const rows = page.rows.map((row) => ({ ...row, email: emails.get(partsOf(row.subject)[1]) ?? null }));
  return { query, page: { ...page, rows }, actions: await actionsInLog(db) };
}

export default function Log({ loaderData: { query, page, actions } }: Route.ComponentProps) {
  return (
    <ConsolePage title="Audit log">
      <p className="text-quiet">
        Everything done in this console or with <code className="whitespace-nowrap">npm run ops</code>.
        Entries can’t be changed.
      </p>
      <List
        of="changes"
        query={query}
        page={page}
        columns={COLUMNS}
        filters={[
          {
            name: "action",
            label: "Action",
            choices: Object.fromEntries(actions.map((action) => [action, humanizeAction(action)])),
          },
          { name: "actor", label: "By", placeholder: "Full address" },
          { name: "subject", label: "Target", placeholder: "promo_code:FALL" },
        ]}
        csv="/admin/log.csv"
      />
    </ConsolePage>
  );
}

/** A day breaks at its hyphens otherwise. */
const DAY = /\d{4}-\d\d-\d\d/g;

const COLUMNS: Column<ListedChange>[] = [
  {
    header: "Action",
    isText: true,
    cell: (change) => (
      <>
        <Sentence {...change} />
        {change.reason && (
          <span className="text-quiet">
            {" "}
            “<bdi>{change.reason}</bdi>”
          </span>
        )}
      </>
    ),
  },
  {
    header: "By",
    isPlain: true,
    cell: ({ actor }) => <PageLink href={onlyWith("actor", actor)}>{actor}</PageLink>,
  },
  { header: "When (UTC)", isPlain: true, sort: "at", cell: ({ at }) => <Moment instant={at} /> },
  {
    header: "Details",
    isPlain: true,
    cell: ({ action, subject, before, after }) => (
      <details data-quiet="">
        <summary>Show</summary>
        <code className="[overflow-wrap:anywhere]">
          {action} {subject}
        </code>{" "}
        <PageLink href={onlyWith("subject", subject)}>Its history</PageLink>
        <Changes before={before} after={after} />
      </details>
    ),
  },
];

/** Leads to what it was done to, which is named where the sentence doesn't. */
function Sentence(change: ListedChange) {
  const [kind, id] = partsOf(change.subject);
  const page = PAGES[kind];
  const sentence = capitalize(sentenceOf(change)).replaceAll(DAY, (day) => day.replaceAll("-", "\u2011"));
  const name = nameOfSubject(change) || sentence;
  const whole = sentence.includes(name) ? sentence : `${sentence}: ${name}`;
  const at = whole.indexOf(name);
  return (
    <>
      {whole.slice(0, at)}
      {page ? <PageLink href={page + encodeURIComponent(id)}>{name}</PageLink> : name}
      {whole.slice(at + name.length)}
    </>
  );
}

function Changes({ before, after }: Pick<LoggedChange, "before" | "after">) {
  return (
    <ul className="console-changes grid gap-1">
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
  waitlist_invitation: "/admin/waitlist/invitations/",
  job: "/admin/jobs?job=",
};

function partsOf(subject: string): [kind: string, id: string] {
  const [, kind = "", id = ""] = /^([a-z_]+):(.+)$/s.exec(subject) ?? [];
  return [kind, id];
}

/** Not its number, which is among the details. */
function nameOfSubject({ subject, email, after }: ListedChange): string {
  const [kind, id] = partsOf(subject);
  if (kind === "user") return email ?? "A deleted account";
  if (kind === "promo_code") return id;
  return String(after?.name ?? after?.title ?? "");
}
