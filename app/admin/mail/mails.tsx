import { fromContext } from "../../http/context.server.ts";
import type { ListedMail } from "../../mail/mails.server.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { sendForm } from "../../ui/send-form.ts";
import { ConsolePage, Moment, State } from "../console-page.tsx";
import { tryNow } from "../jobs/jobs.server.ts";
import { flashOfTry, TRY_SELECTED, TryNow } from "../jobs/try-now.tsx";
import { loadList } from "../lists/list.server.ts";
import { List } from "../lists/list.tsx";
import type { Selection } from "../lists/selection.tsx";
import type { Column } from "../lists/table.tsx";
import type { Route } from "./+types/mails.ts";
import { MAILS } from "./list-mails.server.ts";
import { stateInWords } from "./mail-words.ts";

export const handle: RouteHandle = { flash: flashOfTry };

export const clientAction = sendForm;

export async function loader(args: Route.LoaderArgs) {
  const { mailer } = fromContext(args.context).app;
  return { ...(await loadList(args, MAILS)), off: mailer.isOn ? null : mailer.reason };
}

export async function action(args: Route.ActionArgs) {
  return tryNow(args);
}

export default function Mails({ loaderData: { query, page, off } }: Route.ComponentProps) {
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
      <List
        of="mails"
        query={query}
        page={page}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        selection={isOver(query.filters.state) ? undefined : SELECTION}
        filters={[
          {
            name: "state",
            label: "State",
            choices: [
              { value: "waiting", label: "Waiting or failing" },
              { value: "failing", label: "Failing" },
              { value: "given_up", label: "Given up" },
              { value: "sent", label: "Sent" },
            ],
          },
          { name: "recipient", label: "To", placeholder: "Whole email address" },
        ]}
        csv="/admin/mail.csv"
      />
    </ConsolePage>
  );
}

const SELECTION: Selection<ListedMail> = { ...TRY_SELECTED, nameOf: ({ subject }) => `“${subject}”` };

const isOver = (state: string | undefined) => state === "sent" || state === "given_up";

const COLUMNS: Column<ListedMail>[] = [
  { header: "Written", sort: "written", cell: ({ queuedAt }) => <Moment instant={queuedAt} /> },
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
        <div className="text-quiet">{mail.failure ?? (mail.sentAt ? "" : mail.lastError)}</div>
      </>
    ),
  },
  { header: "Tries", isNumber: true, cell: ({ attempts }) => attempts },
  { header: "Action", cell: ({ id, sentAt, givenUpAt }) => !sentAt && !givenUpAt && <TryNow job={id} /> },
];
