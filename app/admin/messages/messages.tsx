import { useLoaderData } from "react-router";
import { Address } from "../../auth/unverified-notice.tsx";
import { answerOnce, findMessage, type StoredMessage } from "../../contact/answer.server.ts";
import { findTopic } from "../../contact/topics.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { formatDuration } from "../../ui/format-duration.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { Flash, RouteHandle } from "../../ui/route-handle.ts";
import { sendForm } from "../../ui/send-form.ts";
import { ConsolePage, ConsolePart, Moment, State } from "../console-page.tsx";
import { flashOfSelected, type Outcome, SELECTED } from "../flash.ts";
import { loadList, readCounted } from "../lists/list.server.ts";
import { type Filter, Filters, List, ListTable } from "../lists/list.tsx";
import { isFiltered, isWholeList, type ListQuery } from "../lists/list-query.ts";
import { actOnSelected } from "../lists/selected.server.ts";
import type { Selection } from "../lists/selection.tsx";
import type { Column } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/messages.ts";
import { MESSAGES } from "./list-messages.server.ts";

const FILTERS: Filter[] = [
  { name: "state", label: "State", choices: { waiting: "Waiting", answered: "Answered" } },
  { name: "email", label: "Sender", placeholder: "Full address" },
];

const DELETED: Flash = { tone: "good", text: "The message is deleted." };

const OUTCOMES = {
  marked: { words: "marked as answered", isChange: true },
  answered: { words: "answered already" },
  unknown: { words: "no longer there" },
} satisfies Record<string, Outcome>;

export const handle: RouteHandle = {
  flash: (said) => (said === "deleted" ? DELETED : flashOfSelected(said, OUTCOMES)),
};

export const clientAction = sendForm;

export async function loader(args: Route.LoaderArgs) {
  const { query, page } = await loadList(args, MESSAGES, { state: "answered" });
  // By default unanswered messages, oldest first.
  const waiting: ListQuery = { sort: "sent", isDescending: false, from: null, filters: { state: "waiting" } };
  const { db } = fromContext(args.context).app;
  return {
    query,
    page,
    waiting: isWholeList(query) ? await readCounted(db, MESSAGES, waiting) : null,
    now: Date.now(),
  };
}

export async function action(args: Route.ActionArgs) {
  const { db, config, operator } = await requireOperator(args);
  const mark = async (id: string): Promise<keyof typeof OUTCOMES> => {
    const { ok } = await answerOnce(db, config.site, operator, id, null);
    if (ok) return "marked";
    return (await findMessage(db, id)) ? "answered" : "unknown";
  };
  return actOnSelected(args.request, await readForm(args.request, SELECTED), { mark });
}

export default function Messages({ loaderData: { query, page, waiting } }: Route.ComponentProps) {
  return (
    <ConsolePage title="Messages">
      <Filters query={query} filters={FILTERS} />
      {waiting && (
        <ConsolePart id="waiting" title="Waiting for an answer">
          <ListTable
            of="waiting messages"
            page={{ rows: waiting.rows, next: waiting.next }}
            columns={COLUMNS}
            selection={SELECTION}
            none="Every message is answered."
            more={
              <>
                These are the oldest. <PageLink href="?state=waiting&sort=sent">See all</PageLink>
              </>
            }
          />
        </ConsolePart>
      )}
      <ConsolePart id="all" title={isFiltered(query) ? "Messages found" : "Answered"}>
        <List
          of={isFiltered(query) ? "messages" : "answered messages"}
          query={query}
          page={page}
          columns={COLUMNS}
          selection={SELECTION}
          csv="/admin/messages.csv"
        />
      </ConsolePart>
    </ConsolePage>
  );
}

const SELECTION: Selection<StoredMessage> = {
  nameOf: ({ name, message, answeredAt }) => (answeredAt ? null : `${name}: ${beginningOf(message)}`),
  buttons: [{ press: "mark", label: "Mark as answered", pendingLabel: "Marking…" }],
};

/** Of which two lines are shown. */
const BEGINNING_LENGTH = 200;

const COLUMNS: Column<StoredMessage>[] = [
  {
    header: "Message",
    isText: true,
    cell: ({ id, message }) => (
      <PageLink href={`/admin/messages/${id}`} className="console-beginning">
        {beginningOf(message)}
      </PageLink>
    ),
  },
  { header: "About", isPlain: true, width: "10rem", cell: ({ topic }) => findTopic(topic)?.label },
  {
    header: "From",
    isPlain: true,
    isText: true,
    width: "18rem",
    cell: ({ name, email }) => (
      <>
        <bdi>{name}</bdi>
        <span className="block text-quiet">
          <Address email={email} />
        </span>
      </>
    ),
  },
  { header: "State", isPlain: true, width: "13rem", cell: (message) => <MessageState {...message} /> },
  {
    header: "Sent (UTC)",
    isWide: true,
    sort: "sent",
    width: "7.5rem",
    cell: ({ createdAt }) => <Moment instant={createdAt} isDay />,
  },
];

const LONG_SECONDS = 24 * 60 * 60;

function MessageState({ createdAt, answeredAt, answeredBy }: StoredMessage) {
  const { now } = useLoaderData<typeof loader>();
  if (!answeredAt) {
    const seconds = (now - createdAt.getTime()) / 1000;
    const tone = seconds > LONG_SECONDS ? "bad" : undefined;
    return <State word={`Waiting for ${formatDuration(seconds)}`} tone={tone} />;
  }
  return (
    <span title={answeredBy ?? undefined}>
      <State word="Answered" tone="good" /> <Moment instant={answeredAt} isDay />
    </span>
  );
}

function beginningOf(message: string): string {
  const line = message.replaceAll(/\s+/g, " ");
  return line.length > BEGINNING_LENGTH
    ? `${line.slice(0, BEGINNING_LENGTH).replace(/[\s.,;:!?]+$/, "")}…`
    : line;
}
