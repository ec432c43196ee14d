import type { Queryable } from "../../db/client.server.ts";
import { fromContext } from "../../http/context.server.ts";
import type { ListedMail } from "../../mail/mails.server.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { sendForm } from "../../ui/send-form.ts";
import { ConsolePage, ConsolePart, Moment, State } from "../console-page.tsx";
import { errorInWords } from "../jobs/job-words.ts";
import { tryNow } from "../jobs/jobs.server.ts";
import { flashOfTry, TRY_SELECTED, TryNow } from "../jobs/try-now.tsx";
import { loadList } from "../lists/list.server.ts";
import { type Filter, Filters, List, ListTable } from "../lists/list.tsx";
import { isFiltered, isWholeList, type ListQuery } from "../lists/list-query.ts";
import type { Selection } from "../lists/selection.tsx";
import type { Column } from "../lists/table.tsx";
import { HiddenFields } from "../press.tsx";
import type { Route } from "./+types/mails.ts";
import { MAILS } from "./list-mails.server.ts";
import { MAIL_WORDS } from "./mail-words.ts";

const FILTERS: Filter[] = [
  {
    name: "state",
    label: "State",
    choices: { waiting: "Not sent yet", failing: "Failing", given_up: "Undeliverable", sent: "Sent" },
  },
  { name: "recipient", label: "To", placeholder: "Full address" },
];

/** Of each of those that failed. */
const SHORT = 20;

export const handle: RouteHandle = { flash: flashOfTry };

export const clientAction = sendForm;

export async function loader(args: Route.LoaderArgs) {
  const { app } = fromContext(args.context);
  const { query, page } = await loadList(args, MAILS, { state: "not_failed" });
  const notDelivered = isWholeList(query) ? await readNotDelivered(app.db, query) : null;
  return { query, page, notDelivered, off: app.mailer.isOn ? null : app.mailer.reason };
}

async function readNotDelivered(db: Queryable, query: ListQuery) {
  const first = (state: string) => MAILS.read(db, { ...query, filters: { state } }, SHORT);
  const [failing, givenUp] = await Promise.all([first("failing"), first("given_up")]);
  return { rows: [...failing.rows, ...givenUp.rows], next: failing.next ?? givenUp.next };
}

export const action = tryNow;

export default function Mails({ loaderData: { query, page, notDelivered, off } }: Route.ComponentProps) {
  return (
    <ConsolePage
      title="Mail"
      actions={
        <ButtonLink href="/admin/mail/templates" isQuiet>
          Email templates
        </ButtonLink>
      }
    >
      {off && <Notice tone="bad">No email is sent: {off}. Emails wait here until that is fixed.</Notice>}
      <p className="text-quiet">
        Emails from the last 30 days. Their text isn’t kept. A failing email is retried for five days.
      </p>
      <Filters query={query} filters={FILTERS} />
      {notDelivered && notDelivered.rows.length > 0 && (
        <ConsolePart id="not-delivered" title="Not delivered">
          <ListTable
            of="undelivered emails"
            page={notDelivered}
            more="These are the newest. Filter by state to see all."
            {...TABLE}
          />
        </ConsolePart>
      )}
      <ConsolePart id="emails" title={isFiltered(query) ? "Emails found" : "Sent and waiting"}>
        <List of="emails" query={query} page={page} {...TABLE} csv="/admin/mail.csv" />
      </ConsolePart>
    </ConsolePage>
  );
}

const SELECTION: Selection<ListedMail> = {
  ...TRY_SELECTED,
  nameOf: (mail) => (mail.state === "failing" ? `“${mail.subject}”` : null),
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
  { header: "To", isText: true, isPlain: true, width: "19.25rem", cell: ({ recipient }) => recipient },
  {
    header: "State",
    isText: true,
    isPlain: true,
    width: "18.25rem",
    cell: (mail) => (
      <>
        <State {...MAIL_WORDS[mail.state]} />
        <span className="block">{whyOf(mail)}</span>
      </>
    ),
  },
  {
    header: "Created (UTC)",
    isPlain: true,
    sort: "written",
    width: "9.5rem",
    cell: ({ queuedAt }) => <Moment instant={queuedAt} />,
  },
  {
    header: "What to do",
    isHeaderHidden: true,
    isPlain: true,
    width: "8rem",
    cell: (mail) => (mail.state === "failing" ? <TryNow job={mail.id} /> : <SendAgain {...mail} />),
  },
];

function whyOf({ sentAt, failure, lastError }: ListedMail): string | null {
  if (failure) return failure;
  return !sentAt && lastError ? errorInWords("send_mail", lastError) : null;
}

/** By the button of its page, which says what came of it. */
function SendAgain({ id, subject, about, state }: ListedMail) {
  if (!about || state !== "given_up") return null;
  return (
    <PostForm action={`/admin/mail/${id}`}>
      <HiddenFields fields={{ do: "resend" }} />
      <SubmitButton isQuiet pendingLabel="Sending…">
        Send again <span className="sr-only">“{subject}”</span>
      </SubmitButton>
    </PostForm>
  );
}

const TABLE = { columns: COLUMNS, selection: SELECTION };
