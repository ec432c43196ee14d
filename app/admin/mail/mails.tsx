import type { Queryable } from "../../db/client.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { stateOfMail } from "../../mail/mail-state.ts";
import type { ListedMail } from "../../mail/mails.server.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { sendForm } from "../../ui/send-form.ts";
import { ConsolePage, ConsolePart, Moment, State } from "../console-page.tsx";
import { errorInWords } from "../jobs/job-words.ts";
import { tryNow } from "../jobs/jobs.server.ts";
import { flashOfTry, TRY_SELECTED, TryNow } from "../jobs/try-now.tsx";
import { loadList, readCounted } from "../lists/list.server.ts";
import { type Filter, Filters, List, ListTable } from "../lists/list.tsx";
import { isFiltered, isWholeList, type ListQuery } from "../lists/list-query.ts";
import type { Selection } from "../lists/selection.tsx";
import type { Column } from "../lists/table.tsx";
import type { Route } from "./+types/mails.ts";
import { MAILS } from "./list-mails.server.ts";
import { MAIL_WORDS } from "./mail-words.ts";

const FILTERS: Filter[] = [
  {
    name: "state",
    label: "State",
    choices: { waiting: "Not sent yet", failing: "Failing", given_up: "Undeliverable", sent: "Sent" },
  },
  { name: "recipient", label: "To", placeholder: "Whole address" },
];

/** Of each of those that failed. */
const SHORT = 20;

export const handle: RouteHandle = { flash: flashOfTry };

export const clientAction = sendForm;

export async function loader(args: Route.LoaderArgs) {
  const { db, mailer } = fromContext(args.context).app;
  const { query, page } = await loadList(args, MAILS, { state: "not_failed" });
  const notDelivered = isWholeList(query) ? await readNotDelivered(db, query) : null;
  return { query, page, notDelivered, off: mailer.isOn ? null : mailer.reason };
}

async function readNotDelivered(db: Queryable, query: ListQuery) {
  const first = (state: string) => readCounted(db, MAILS, { ...query, filters: { state } }, SHORT);
  const [failing, givenUp] = await Promise.all([first("failing"), first("given_up")]);
  const total = failing.count && givenUp.count && failing.count.total + givenUp.count.total;
  return {
    rows: [...failing.rows, ...givenUp.rows],
    next: failing.next ?? givenUp.next,
    count: total === null ? null : { total, before: 0 },
  };
}

export const action = tryNow;

export default function Mails({ loaderData: { query, page, notDelivered, off } }: Route.ComponentProps) {
  return (
    <ConsolePage
      title="Mail"
      actions={
        <ButtonLink href="/admin/mail/templates" isQuiet>
          Preview the templates
        </ButtonLink>
      }
    >
      {off && (
        <Notice tone="bad">No mail is sent: {off}. What is written waits here until that is mended.</Notice>
      )}
      <p className="text-quiet">
        The site’s email of the last 30 days. Texts are not kept. A mail that fails is tried again for five
        days and then given up; an address that doesn’t exist is given up at once.
      </p>
      <Filters query={query} filters={FILTERS} />
      {notDelivered && notDelivered.rows.length > 0 && (
        <ConsolePart id="not-delivered" title="Not delivered">
          <ListTable
            of="mails not delivered"
            page={notDelivered}
            more="Those are the newest. Filter by state to see all."
            {...TABLE}
          />
        </ConsolePart>
      )}
      <List
        of={isFiltered(query) ? "mails" : "other mails"}
        query={query}
        page={page}
        {...TABLE}
        csv="/admin/mail.csv"
      />
    </ConsolePage>
  );
}

const isFailing = (mail: ListedMail) => stateOfMail(mail) === "failing";

const SELECTION: Selection<ListedMail> = {
  ...TRY_SELECTED,
  nameOf: (mail) => (isFailing(mail) ? `“${mail.subject}”` : null),
};

const COLUMNS: Column<ListedMail>[] = [
  {
    header: "Subject",
    isText: true,
    cell: ({ id, subject }) => (
      <PageLink href={`/admin/mail/${id}`}>
        <bdi>{subject}</bdi>
      </PageLink>
    ),
  },
  { header: "To", isText: true, cell: ({ recipient }) => recipient },
  { header: "State", isPlain: true, cell: (mail) => <State {...MAIL_WORDS[stateOfMail(mail)]} /> },
  {
    header: "Why",
    isText: true,
    isPlain: true,
    cell: ({ sentAt, failure, lastError }) =>
      failure ?? (!sentAt && lastError && errorInWords("send_mail", lastError)),
  },
  { header: "Written (UTC)", sort: "written", cell: ({ queuedAt }) => <Moment instant={queuedAt} /> },
  {
    header: "What to do",
    isHeaderHidden: true,
    isPlain: true,
    cell: (mail) => isFailing(mail) && <TryNow job={mail.id} />,
  },
];

const TABLE = { columns: COLUMNS, selection: SELECTION };
