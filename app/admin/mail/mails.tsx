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
import type { ListCount } from "../lists/keyset.server.ts";
import { loadList, readCounted } from "../lists/list.server.ts";
import { List, ListTable } from "../lists/list.tsx";
import { isFiltered, isWholeList } from "../lists/list-query.ts";
import type { Selection } from "../lists/selection.tsx";
import type { Column } from "../lists/table.tsx";
import type { Route } from "./+types/mails.ts";
import { MAILS } from "./list-mails.server.ts";
import { stateInWords } from "./mail-words.ts";

/** Of each of those that failed. */
const SHORT = 20;

export const handle: RouteHandle = { flash: flashOfTry };

export const clientAction = sendForm;

export async function loader(args: Route.LoaderArgs) {
  const { db, mailer } = fromContext(args.context).app;
  const { query, page } = await loadList(args, MAILS, { state: "not_failed" });
  const first = (state: string) => readCounted(db, MAILS, { ...query, filters: { state } }, SHORT);
  const failed = isWholeList(query) ? await Promise.all([first("failing"), first("given_up")]) : [];
  return { query, page, failed, off: mailer.isOn ? null : mailer.reason };
}

export async function action(args: Route.ActionArgs) {
  return tryNow(args);
}

export default function Mails({ loaderData: { query, page, failed, off } }: Route.ComponentProps) {
  const notDelivered = failed.flatMap(({ rows }) => rows);
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
      {notDelivered.length > 0 && (
        <ConsolePart id="not-delivered" title="Not delivered">
          <ListTable of="mails not delivered" rows={notDelivered} count={countOf(failed)} {...TABLE} />
          {failed.some(({ next }) => next) && <p>Those are the newest. Filter by state to see all.</p>}
        </ConsolePart>
      )}
      <List
        of={isFiltered(query) ? "mails" : "other mails"}
        query={query}
        page={page}
        {...TABLE}
        filters={[
          {
            name: "state",
            label: "State",
            choices: {
              waiting: "Waiting or failing",
              failing: "Failing",
              given_up: "Could not be delivered",
              sent: "Sent",
            },
          },
          { name: "recipient", label: "To", placeholder: "Whole email address" },
        ]}
        csv="/admin/mail.csv"
      />
    </ConsolePage>
  );
}

function countOf(pages: readonly { count: ListCount }[]): ListCount {
  const totals = pages.map(({ count }) => count?.total ?? Infinity);
  const total = totals.reduce((sum, one) => sum + one, 0);
  return total === Infinity ? null : { total, before: 0 };
}

const isFailing = (mail: ListedMail) => stateOfMail(mail) === "failing";

const SELECTION: Selection<ListedMail> = {
  ...TRY_SELECTED,
  nameOf: (mail) => (isFailing(mail) ? `“${mail.subject}”` : null),
};

const COLUMNS: Column<ListedMail>[] = [
  { header: "Written (UTC)", sort: "written", cell: ({ queuedAt }) => <Moment instant={queuedAt} /> },
  {
    header: "Subject",
    cell: ({ id, subject }) => (
      <PageLink href={`/admin/mail/${id}`}>
        <bdi>{subject}</bdi>
      </PageLink>
    ),
  },
  { header: "To", cell: ({ recipient }) => recipient },
  {
    header: "State",
    cell: (mail) => (
      <>
        <State {...stateInWords(mail)} />{" "}
        {(mail.sentAt ?? mail.givenUpAt) && <Moment instant={mail.sentAt ?? mail.givenUpAt} />}
        <div className="text-quiet">
          {mail.failure ?? (!mail.sentAt && mail.lastError && errorInWords("send_mail", mail.lastError))}
        </div>
        {mail.attempts > 1 && <div className="text-quiet">{mail.attempts} tries</div>}
        {isFailing(mail) && <TryNow job={mail.id} />}
      </>
    ),
  },
];

const TABLE = { columns: COLUMNS, keyOf: ({ id }: ListedMail) => id, selection: SELECTION };
