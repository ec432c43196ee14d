import { useLoaderData } from "react-router";
import { fromContext } from "../../http/context.server.ts";
import type { ListedJob } from "../../outbox/jobs.server.ts";
import { formatDuration } from "../../ui/format-duration.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { sendForm } from "../../ui/send-form.ts";
import { ConsolePage, ConsolePart, Moment, State } from "../console-page.tsx";
import { loadList, readCounted } from "../lists/list.server.ts";
import { type Filter, Filters, List, ListTable } from "../lists/list.tsx";
import { isFiltered, isWholeList } from "../lists/list-query.ts";
import type { Selection } from "../lists/selection.tsx";
import type { Column } from "../lists/table.tsx";
import type { Route } from "./+types/jobs.ts";
import { errorInWords, kindInWords, stateOfJob } from "./job-words.ts";
import { JOBS, tryNow } from "./jobs.server.ts";
import { flashOfTry, TRY_SELECTED, TryNow } from "./try-now.tsx";

const SHORT = 20;

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
  const now = Date.now();
  if (!isWholeList(query)) return { query, page, now, failing: null, done: null };
  const failing = await readCounted(db, JOBS, { ...query, filters: { state: "failing" } }, SHORT);
  const done = await JOBS.read(db, { ...query, isDescending: true, filters: { state: "done" } }, SHORT);
  return { query, page, now, failing, done };
}

export const action = tryNow;

export default function Jobs({ loaderData: { query, page, failing, done } }: Route.ComponentProps) {
  return (
    <ConsolePage title="Jobs">
      <p className="text-quiet">
        What the site still has to do: sending email, asking Stripe, long work. A job that fails is tried
        again within five minutes, so “Try now” only saves the wait. What is scheduled waits for its time.
      </p>
      <Filters query={query} filters={FILTERS} />
      {failing && (
        <ConsolePart id="failing" title="Failing">
          <ListTable
            of="failing jobs"
            page={failing}
            columns={OPEN}
            selection={SELECTION}
            none={<State word="All is well: no job fails." tone="good" />}
            more={<PageLink href="?state=failing">See all that fail</PageLink>}
          />
        </ConsolePart>
      )}
      <ConsolePart id="open" title={isFiltered(query) ? "Jobs found" : "Waiting"}>
        <List
          of={isFiltered(query) ? "jobs" : "waiting jobs"}
          query={query}
          page={page}
          columns={query.filters.state === "done" ? DONE : OPEN}
          selection={SELECTION}
          none="Nothing waits: the site has done all it has to do."
          csv="/admin/jobs.csv"
        />
      </ConsolePart>
      {done && done.rows.length > 0 && (
        <ConsolePart id="done" title="Done most recently">
          <ListTable of="jobs done most recently" page={done} columns={DONE} />
          <p>
            <PageLink href="?state=done&sort=-created">See all that are done</PageLink>
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
  cell: ({ id, kind }) => (
    <>
      {kindInWords(kind)}{" "}
      {kind === "send_mail" ? (
        <PageLink href={`/admin/mail/${id}`}>{id}</PageLink>
      ) : (
        <span className="text-quiet">{id}</span>
      )}
    </>
  ),
};

const OPEN: Column<ListedJob>[] = [
  JOB,
  { header: "State", isPlain: true, cell: (job) => <State {...stateOfJob(job)} /> },
  {
    header: "Why",
    isText: true,
    isPlain: true,
    cell: ({ kind, doneAt, lastError }) => !doneAt && lastError && errorInWords(kind, lastError),
  },
  { header: "Tries", isNumber: true, cell: ({ attempts }) => attempts > 0 && attempts },
  { header: "Age", sort: "created", cell: ({ createdAt }) => <Age since={createdAt} /> },
  { header: "Next try (UTC)", cell: (job) => isPaused(job) && <Moment instant={job.runAt} /> },
  { header: "Done (UTC)", cell: ({ doneAt }) => doneAt && <Moment instant={doneAt} /> },
  {
    header: "What to do",
    isHeaderHidden: true,
    isPlain: true,
    cell: (job) => isFailing(job) && <TryNow job={job.id} />,
  },
];

const isPaused = (job: ListedJob) => isFailing(job) || job.isScheduled;

/** Sorted by when they were done. */
const DONE: Column<ListedJob>[] = [
  JOB,
  { header: "Age", cell: ({ createdAt }) => <Age since={createdAt} /> },
  { header: "Done (UTC)", sort: "created", cell: ({ doneAt }) => <Moment instant={doneAt} /> },
];

function Age({ since }: { since: Date }) {
  const { now } = useLoaderData<typeof loader>();
  return (
    <time dateTime={since.toISOString()} title={since.toUTCString()}>
      {formatDuration((now - since.getTime()) / 1000)}
    </time>
  );
}
