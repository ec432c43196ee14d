import { data, redirect } from "react-router";
import type { Actor } from "../audit/record-change.server.ts";
import type { App } from "../http/context.server.ts";
import { readPromoBatch } from "../promo/batches.server.ts";
import { normalizePromoCode } from "../promo/rules.ts";
import type { Route } from "./+types/csv.ts";
import { codeList, redemptionsOf } from "./codes/lists.server.ts";
import { readFunnelQuery } from "./funnel/query.ts";
import { readTable } from "./funnel/tables.server.ts";
import { JOBS } from "./jobs/jobs.server.ts";
import { CSV_CHUNK, CSV_START, csvFile, csvLine, csvResponse, noteDownload } from "./lists/csv.server.ts";
import { type Cursor, changeQuery } from "./lists/list-query.ts";
import type { ListSource } from "./lists/list-source.server.ts";
import { CHANGES } from "./log/list-changes.server.ts";
import { MAILS } from "./mail/list-mails.server.ts";
import { MESSAGES } from "./messages/list-messages.server.ts";
import { requireFreshOperator } from "./operator.server.ts";
import { PEOPLE } from "./people/people-list.server.ts";
import { MEMBERS } from "./waitlist/member-list.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const { app, operator: actor } = await requireFreshOperator(args);
  const file = FILES[args.pattern];
  if (!file) throw new Error(`no list for ${args.pattern}`);
  const { request, params } = args;
  return file({ app, actor, request, params, search: new URL(request.url).searchParams });
}

interface CsvArgs {
  app: Pick<App, "config" | "db">;
  actor: Actor;
  request: Request;
  params: Readonly<Record<string, string | undefined>>;
  search: URLSearchParams;
}

/** By the patterns of their routes. */
const FILES: Readonly<Record<string, (args: CsvArgs) => Promise<Response>>> = {
  "admin/funnel.csv": sendFunnel,
  "admin/people.csv": (args) => send(args, PEOPLE),
  "admin/codes.csv": (args) => send(args, codeList(args.app.config.publicOrigin)),
  "admin/batches/:batch/codes.csv": async (args) => {
    const { db, config } = args.app;
    const batch = await readPromoBatch(db, args.params.batch ?? "");
    if (!batch) throw data(null, { status: 404 });
    // Half a batch would be taken for the whole.
    if (!batch.finishedAt) throw redirect(`/admin/batches/${batch.id}`, 303);
    const search = new URLSearchParams({ batch: batch.id });
    return send({ ...args, search }, codeList(config.publicOrigin, "batch"));
  },
  "admin/codes/:code/redemptions.csv": (args) => {
    const code = normalizePromoCode(args.params.code ?? "");
    return send(args, redemptionsOf(code), { code });
  },
  "admin/waitlist.csv": (args) => send(args, MEMBERS),
  "admin/waitlist/invitations/:invitation/people.csv": (args) => {
    const search = new URLSearchParams(args.search);
    search.set("invitation", args.params.invitation ?? "");
    return send({ ...args, search }, MEMBERS);
  },
  "admin/messages.csv": (args) => send(args, MESSAGES),
  "admin/mail.csv": (args) => send(args, MAILS),
  "admin/jobs.csv": (args) => send(args, JOBS),
  "admin/log.csv": (args) => send(args, CHANGES),
};

/** @param filters for the audit log */
function send<Row extends { cursor: Cursor }>(
  { app, actor, request, search }: CsvArgs,
  { name, readQuery, read, columns }: ListSource<Row>,
  filters: Record<string, string> = {},
): Promise<Response> {
  return csvResponse(
    request,
    { db: app.db, actor },
    {
      name,
      filters: { ...readQuery(search).filters, ...filters },
      columns,
      readChunk(after) {
        const query = changeQuery(search.toString(), { after, before: null });
        return read(app.db, readQuery(new URLSearchParams(query)), CSV_CHUNK);
      },
    },
  );
}

/** A few hundred rows at most, so it is sent at once. */
async function sendFunnel({ app, actor, request, search }: CsvArgs): Promise<Response> {
  const { by, of, weeks } = readFunnelQuery(search);
  const { header, rows } = await readTable(app.db, { by, of, weeks });
  const lines = [header, ...rows.map(({ name, counts }) => [name, ...counts])];
  const details = { filters: { by, weeks: `${weeks}` }, rows: rows.length, ended: "whole" } as const;
  if (request.method !== "HEAD") await noteDownload({ db: app.db, actor }, "funnel", details);
  return csvFile(`funnel-by-${by}`, CSV_START + lines.map(csvLine).join(""));
}
