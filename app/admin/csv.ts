import { data, redirect } from "react-router";
import type { Actor } from "../audit/record-change.server.ts";
import { type App, fromContext } from "../http/context.server.ts";
import { stateOfMail } from "../mail/mail-state.ts";
import { readPromoBatch } from "../promo/batches.server.ts";
import { normalisePromoCode } from "../promo/rules.ts";
import type { Route } from "./+types/csv.ts";
import { CODE_LIST, codeColumns, listCodes, listRedemptions, REDEMPTION_LIST } from "./codes/lists.server.ts";
import { readFunnelQuery } from "./funnel/query.ts";
import { readTable } from "./funnel/tables.server.ts";
import { JOB_RULES, listJobs } from "./jobs/jobs.server.ts";
import {
  CSV_CHUNK,
  CSV_START,
  type CsvColumn,
  csvFile,
  csvLine,
  csvResponse,
  noteDownload,
} from "./lists/csv.server.ts";
import type { ListPage } from "./lists/keyset.server.ts";
import {
  type Cursor,
  changeQuery,
  type ListQuery,
  type ListRules,
  readListQuery,
} from "./lists/list-query.ts";
import { LOG_RULES, listChanges } from "./log/list-changes.server.ts";
import { listMails, MAIL_RULES } from "./mail/list-mails.server.ts";
import { listMessages, MESSAGE_RULES } from "./messages/list-messages.server.ts";
import { requireFreshOperator } from "./operator.server.ts";
import { listPeople, readPeopleQuery } from "./people/people-list.server.ts";
import { stateInWords } from "./waitlist/member-columns.tsx";
import { listMembers, readMembersQuery } from "./waitlist/member-list.server.ts";

/** A list of the console as a file: which one, `routes.ts` says by its address. */
export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { app } = fromContext(args.context);
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

/** The files of the console by the patterns of their routes. Each throws a 400 for a position that is none of its list's. */
const FILES: Readonly<Record<string, (args: CsvArgs) => Promise<Response>>> = {
  "admin/funnel.csv": sendFunnel,
  "admin/people.csv": (args) =>
    send(args, "people", readPeopleQuery, (query) => listPeople(args.app.db, query, CSV_CHUNK), [
      ["id", ({ id }) => id],
      ["email", ({ email }) => email],
      ["name", ({ name }) => name],
      ["confirmed", ({ isConfirmed }) => isConfirmed],
      ["signed_up", ({ since }) => since],
      ["tier", ({ plan }) => plan?.tier ?? null],
      ["source", ({ plan }) => plan?.source ?? null],
      ["promo_code", ({ plan }) => plan?.promoCode ?? null],
      ["until", ({ plan }) => plan?.expiresAt ?? null],
      ["renews", ({ plan }) => plan?.renews ?? null],
    ]),
  "admin/codes.csv": (args) => sendCodes(args, "promo-codes", args.search),
  "admin/batches/:batch/codes.csv": async (args) => {
    const batch = await readPromoBatch(args.app.db, args.params.batch ?? "");
    if (!batch) throw data(null, { status: 404 });
    // Half a batch would be taken for the whole.
    if (!batch.finishedAt) throw redirect(`/admin/batches/${batch.id}`, 303);
    return sendCodes(args, "batch", new URLSearchParams({ batch: batch.id }));
  },
  "admin/codes/:code/redemptions.csv": (args) => {
    const code = normalisePromoCode(args.params.code ?? "");
    const read = (search: URLSearchParams) => ({ ...byRules(REDEMPTION_LIST)(search), filters: { code } });
    return send(args, "redemptions", read, (query) => listRedemptions(args.app.db, code, query, CSV_CHUNK), [
      ["user_id", ({ userId }) => userId],
      ["email", ({ email }) => email],
      ["tier", ({ tier }) => tier],
      ["redeemed_at", ({ redeemedAt }) => redeemedAt],
      ["expires_at", ({ expiresAt }) => expiresAt],
      ["revoked_at", ({ revokedAt }) => revokedAt],
      ["same_mailbox_as", ({ sameMailbox }) => sameMailbox?.email ?? null],
    ]);
  },
  "admin/waitlist.csv": sendMembers,
  "admin/waitlist/invitations/:invitation/people.csv": (args) => {
    const search = new URLSearchParams(args.search);
    search.set("invitation", args.params.invitation ?? "");
    return sendMembers({ ...args, search });
  },
  "admin/messages.csv": (args) =>
    send(args, "messages", byRules(MESSAGE_RULES), (query) => listMessages(args.app.db, query, CSV_CHUNK), [
      ["sent", ({ createdAt }) => createdAt],
      ["name", ({ name }) => name],
      ["email", ({ email }) => email],
      ["topic", ({ topic }) => topic],
      ["message", ({ message }) => message],
      ["answered", ({ answeredAt }) => answeredAt],
      ["answered by", ({ answeredBy }) => answeredBy],
      ["answer", ({ answer }) => answer],
    ]),
  "admin/mail.csv": (args) =>
    send(args, "mail", byRules(MAIL_RULES), (query) => listMails(args.app.db, query, CSV_CHUNK), [
      ["mail", ({ id }) => id],
      ["recipient", ({ recipient }) => recipient],
      ["subject", ({ subject }) => subject],
      ["state", (mail) => stateOfMail(mail)],
      ["written", ({ queuedAt }) => queuedAt],
      ["sent", ({ sentAt }) => sentAt],
      ["given up", ({ givenUpAt }) => givenUpAt],
      ["tries", ({ attempts }) => attempts],
      ["why", ({ failure, lastError }) => failure ?? lastError],
    ]),
  "admin/jobs.csv": (args) =>
    send(args, "jobs", byRules(JOB_RULES), (query) => listJobs(args.app.db, query, CSV_CHUNK), [
      ["job", ({ id }) => id],
      ["kind", ({ kind }) => kind],
      ["created", ({ createdAt }) => createdAt],
      ["tries", ({ attempts }) => attempts],
      ["next try", ({ doneAt, runAt }) => (doneAt ? null : runAt)],
      ["done", ({ doneAt }) => doneAt],
      ["last error", ({ lastError }) => lastError],
    ]),
  "admin/log.csv": (args) =>
    send(args, "audit-log", byRules(LOG_RULES), (query) => listChanges(args.app.db, query, CSV_CHUNK), [
      ["at", ({ at }) => at],
      ["actor", ({ actor }) => actor],
      ["action", ({ action }) => action],
      ["subject", ({ subject }) => subject],
      ["before", ({ before }) => before && JSON.stringify(before)],
      ["after", ({ after }) => after && JSON.stringify(after)],
      ["reason", ({ reason }) => reason],
    ]),
};

const byRules = (rules: ListRules) => (search: URLSearchParams) => readListQuery(search, rules);

function send<Row extends { cursor: Cursor }>(
  { app, actor, request, search }: CsvArgs,
  name: string,
  read: (search: URLSearchParams) => ListQuery,
  list: (query: ListQuery) => Promise<ListPage<Row>>,
  columns: readonly CsvColumn<Row>[],
): Promise<Response> {
  return csvResponse<Row>(
    request,
    { db: app.db, actor },
    {
      name,
      filters: read(search).filters,
      columns,
      // Whichever page of the list the address asks for.
      readChunk: (after) =>
        list(read(new URLSearchParams(changeQuery(search.toString(), { after, before: null })))),
    },
  );
}

function sendCodes(args: CsvArgs, name: string, search: URLSearchParams): Promise<Response> {
  const { db, config } = args.app;
  const columns = codeColumns(config.publicOrigin);
  const list = (query: ListQuery) => listCodes(db, query, CSV_CHUNK);
  return send({ ...args, search }, name, byRules(CODE_LIST), list, columns);
}

function sendMembers(args: CsvArgs): Promise<Response> {
  return send(args, "waitlist", readMembersQuery, (query) => listMembers(args.app.db, query, CSV_CHUNK), [
    ["email", ({ email }) => email],
    ["name", ({ name }) => name],
    ["uses_today", ({ usesToday }) => usesToday],
    ["state", ({ state }) => stateInWords(state)],
    ["number", ({ number }) => number],
    ["friends", ({ friends }) => friends],
    ["brought_by", ({ referrer }) => referrer?.email ?? null],
    ["joined", ({ joinedAt }) => joinedAt],
    ["confirmed", ({ confirmedAt }) => confirmedAt],
    ["invited", ({ invitedAt }) => invitedAt],
    ["code", ({ code }) => code],
  ]);
}

/** It has a few hundred rows at most, so it is sent at once. */
async function sendFunnel({ app, actor, request, search }: CsvArgs): Promise<Response> {
  const { by, weeks } = readFunnelQuery(search);
  const { header, rows } = await readTable(app.db, { by, weeks });
  const lines = [header, ...rows.map(({ name, counts }) => [name, ...counts])];
  const details = { filters: { by, weeks: `${weeks}` }, rows: rows.length, ended: "whole" } as const;
  if (request.method !== "HEAD") await noteDownload({ db: app.db, actor }, "funnel", details);
  return csvFile(`funnel-by-${by}`, CSV_START + lines.map(csvLine).join(""));
}
