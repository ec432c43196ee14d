import { inArray, sql } from "drizzle-orm";
import { useLoaderData } from "react-router";
import type { Queryable } from "../../db/client.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { mails } from "../../mail/schema.ts";
import type { ListedJob } from "../../outbox/jobs.server.ts";
import { formatDuration } from "../../ui/format-duration.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { sendForm } from "../../ui/send-form.ts";
import { ConsolePage, ConsolePart, Moment, State } from "../console-page.tsx";
import { loadList, readCounted } from "../lists/list.server.ts";
import { type Filter, Filters, List, ListTable } from "../lists/list.tsx";
import { isFiltered, isWholeList, type ListQuery } from "../lists/list-query.ts";
import type { Selection } from "../lists/selection.tsx";
import type { Column } from "../lists/table.tsx";
import type { Route } from "./+types/jobs.ts";
import { errorInWords, kindInWords, stateOfJob } from "./job-words.ts";
import { JOBS, tryNow } from "./jobs.server.ts";
import { flashOfTry, TRY_SELECTED, TryNow } from "./try-now.tsx";

const MOST_FAILING = 20;

const MOST_DONE = 5;

const FILTERS: Filter[] = [
  {
    name: "state",
    label: "State",
    choices: { open: "Open", failing: "Failing", waiting: "Waiting", done: "Done" },
  },
  { name: "job", label: "Number" },
];

export const handle: RouteHandle = { flash: flashOfTry };

export const clientAction = sendForm;

export async function loader(args: Route.LoaderArgs) {
  const { query, page } = await loadList(args, JOBS, { state: "waiting" });
  const { db } = fromContext(args.context).app;
  const isWhole = isWholeList(query);
  const failing = isWhole
    ? await readCounted(db, JOBS, { ...query, filters: { state: "failing" } }, MOST_FAILING)
    : null;
  const done = isWhole
    ? await JOBS.read(db, { ...query, isDescending: true, filters: { state: "done" } }, MOST_DONE)
    : null;
  const rows = [page, failing, done].flatMap((each) => each?.rows ?? []);
  return { query, page, now: Date.now(), failing, done, mails: await readMailsOf(db, rows) };
}

/** By their jobs, which have the same ids. */
async function readMailsOf(db: Queryable, jobs: readonly ListedJob[]) {
  const found = await db
    .select({ id: sql<string>`${mails.id}::text`, subject: mails.subject, recipient: mails.recipient })
    .from(mails)
    .where(
      inArray(
        mails.id,
        jobs.map(({ id }) => BigInt(id)),
      ),
    );
  return new Map(found.map((mail) => [mail.id, mail]));
}

export const action = tryNow;

export default function Jobs({ loaderData: { query, page, failing, done } }: Route.ComponentProps) {
  return (
    <ConsolePage title="Jobs">
      <p className="text-quiet">Failed jobs are tried again automatically, at most five minutes apart.</p>
      <Filters query={query} filters={FILTERS} />
      {failing && (
        <ConsolePart id="failing" title="Failing">
          <ListTable
            of="failing jobs"
            page={failing}
            columns={FAILING}
            selection={SELECTION}
            none={<State word="No job is failing." tone="good" />}
            more={<PageLink href="?state=failing">See all failing jobs</PageLink>}
          />
        </ConsolePart>
      )}
      <ConsolePart id="open" title={isFiltered(query) ? "Jobs found" : "Waiting"}>
        <List
          of={isFiltered(query) ? "jobs" : "waiting jobs"}
          query={query}
          page={page}
          columns={columnsFor(query)}
          selection={SELECTION}
          none="Nothing is waiting."
          csv="/admin/jobs.csv"
        />
      </ConsolePart>
      {done && done.rows.length > 0 && (
        <ConsolePart id="done" title="Recently done">
          <ListTable of="recently done jobs" page={done} columns={DONE} />
          <p>
            <PageLink href="?state=done&sort=-created">See all done jobs</PageLink>
          </p>
        </ConsolePart>
      )}
    </ConsolePage>
  );
}

const isFailing = (job: ListedJob) => stateOfJob(job).word === "Failing";

const SELECTION: Selection<ListedJob> = {
  ...TRY_SELECTED,
  nameOf: (job) => (isFailing(job) ? `job ${job.id}` : null),
};

const JOB: Column<ListedJob> = {
  header: "Job",
  isText: true,
  cell: (job) => <JobName {...job} />,
};

const STATE: Column<ListedJob> = {
  header: "State",
  isPlain: true,
  width: "7rem",
  cell: (job) => <State {...stateOfJob(job)} />,
};

const WHY: Column<ListedJob> = {
  header: "Why",
  isText: true,
  isPlain: true,
  width: "23rem",
  cell: ({ kind, doneAt, lastError }) => !doneAt && lastError && errorInWords(kind, lastError),
};

const TRIES: Column<ListedJob> = {
  header: "Tries",
  isNumber: true,
  width: "5.5rem",
  cell: ({ attempts }) => attempts > 0 && attempts,
};

const AGE: Column<ListedJob> = {
  header: "Age",
  sort: "created",
  width: "7rem",
  cell: ({ createdAt }) => <Age since={createdAt} />,
};

const NEXT: Column<ListedJob> = {
  header: "Next try (UTC)",
  width: "10rem",
  cell: (job) => (isFailing(job) || job.isScheduled) && <Moment instant={job.runAt} />,
};

const TRY: Column<ListedJob> = {
  header: "What to do",
  isHeaderHidden: true,
  isPlain: true,
  width: "8rem",
  cell: (job) => isFailing(job) && <TryNow job={job.id} />,
};

const DONE_AT: Column<ListedJob> = {
  header: "Done (UTC)",
  width: "18rem",
  cell: ({ doneAt }) => doneAt && <Moment instant={doneAt} />,
};

const FAILING = [JOB, WHY, TRIES, AGE, NEXT, TRY];

const WAITING = [JOB, STATE, AGE, { ...NEXT, header: "Runs (UTC)" }, TRY];

/** Sorted by when they were done. */
const DONE = [JOB, { ...DONE_AT, sort: "created" }];

/** Alone on the page, without the columns that are empty. */
const FOUND = [JOB, WHY, TRIES, STATE, AGE, NEXT, DONE_AT, TRY].map(({ width, ...column }) => column);

function columnsFor(query: ListQuery): Column<ListedJob>[] {
  if (query.filters.state === "done") return DONE;
  return isFiltered(query) ? FOUND : WAITING;
}

function JobName({ id, kind }: ListedJob) {
  const mail = useLoaderData<typeof loader>().mails.get(id);
  return (
    <>
      {mail ? (
        <PageLink href={`/admin/mail/${id}`}>
          <bdi>{mail.subject}</bdi>
        </PageLink>
      ) : (
        kindInWords(kind)
      )}
      {mail && ` → ${mail.recipient}`} <span className="text-quiet whitespace-nowrap">{`No. ${id}`}</span>
    </>
  );
}

function Age({ since }: { since: Date }) {
  const { now } = useLoaderData<typeof loader>();
  return (
    <time dateTime={since.toISOString()} title={since.toUTCString()}>
      {formatDuration((now - since.getTime()) / 1000)}
    </time>
  );
}
