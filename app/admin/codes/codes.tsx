import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { setPaused } from "../../promo/manage-codes.server.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { sendForm } from "../../ui/send-form.ts";
import { ConsolePage, Moment, State } from "../console-page.tsx";
import { flashOfSelected, type Outcome, SELECTED } from "../flash.ts";
import { loadList } from "../lists/list.server.ts";
import { type Filter, List } from "../lists/list.tsx";
import { actOnSelected } from "../lists/selected.server.ts";
import type { Selection } from "../lists/selection.tsx";
import type { Column } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/codes.ts";
import { describeGift, describeUses, pathOfCode, STATES } from "./code-words.ts";
import { codeList, type ListedCode } from "./lists.server.ts";

const OUTCOMES = {
  paused: { words: "paused", isChange: true },
  resumed: { words: "resumed", isChange: true },
  paused_already: { words: "paused already" },
  not_paused: { words: "not paused before" },
  unknown: { words: "no longer there" },
} satisfies Record<string, Outcome>;

export const handle: RouteHandle = { flash: (said) => flashOfSelected(said, OUTCOMES) };

export const clientAction = sendForm;

export async function loader(args: Route.LoaderArgs) {
  return loadList(args, codeList(fromContext(args.context).app.config.publicOrigin));
}

export async function action(args: Route.ActionArgs) {
  const { db, operator } = await requireOperator(args);
  const setAs =
    (isPaused: boolean) =>
    async (code: string): Promise<keyof typeof OUTCOMES> => {
      const outcome = await setPaused(db, operator, code, isPaused);
      if (!outcome.ok) return "unknown";
      if (isPaused) return outcome.isChanged ? "paused" : "paused_already";
      return outcome.isChanged ? "resumed" : "not_paused";
    };
  const form = await readForm(args.request, SELECTED);
  return actOnSelected(args.request, form, { pause: setAs(true), resume: setAs(false) });
}

const SELECTION: Selection<ListedCode> = {
  nameOf: ({ code }) => code,
  buttons: [
    { press: "pause", label: "Pause", pendingLabel: "Pausing…" },
    { press: "resume", label: "Resume", pendingLabel: "Resuming…" },
  ],
};

const FILTERS: Filter[] = [
  { name: "code", label: "Code begins with" },
  {
    name: "state",
    label: "State",
    choices: Object.fromEntries(Object.entries(STATES).map(([state, { word }]) => [state, word])),
  },
];

/** Kept by a filter of the same list. */
const BATCH: Filter = { name: "batch", label: "Batch", type: "hidden" };

const COLUMNS: Column<ListedCode>[] = [
  { header: "Code", sort: "code", cell: ({ code }) => <PageLink href={pathOfCode(code)}>{code}</PageLink> },
  { header: "State", isPlain: true, cell: ({ state }) => <State {...STATES[state]} /> },
  { header: "Gives", isPlain: true, cell: describeGift },
  { header: "Uses", cell: describeUses },
  { header: "Starts (UTC)", cell: ({ startsAt }) => startsAt && <Moment instant={startsAt} isDay /> },
  { header: "Ends (UTC)", cell: ({ expiresAt }) => expiresAt && <Moment instant={expiresAt} isDay /> },
  { header: "Note", isPlain: true, isText: true, cell: ({ note }) => note && <bdi>{note}</bdi> },
  {
    header: "Created (UTC)",
    isWide: true,
    sort: "created",
    cell: ({ createdAt }) => <Moment instant={createdAt} isDay />,
  },
];

export default function Codes({ loaderData: { query, page } }: Route.ComponentProps) {
  const { batch } = query.filters;
  return (
    <ConsolePage
      title={batch ? "Codes of a batch" : "Promo codes"}
      above={batch ? { href: `/admin/batches/${encodeURIComponent(batch)}`, label: "Batch" } : undefined}
      actions={
        <p className="console-actions">
          <PageLink href="/admin/batches">Batches</PageLink>
          <ButtonLink href="/admin/new-code">Create a code</ButtonLink>
        </p>
      }
    >
      {!batch && (
        <p className="text-quiet">
          Codes created one at a time. Batch codes are under Batches; invitation codes, under Waitlist.
        </p>
      )}
      <List
        of="codes"
        query={query}
        page={page}
        columns={COLUMNS}
        selection={SELECTION}
        filters={batch ? [BATCH, ...FILTERS] : FILTERS}
        csv="/admin/codes.csv"
      />
    </ConsolePage>
  );
}
