import { fromContext } from "../../http/context.server.ts";
import { stateOfMail } from "../../mail/mail-state.ts";
import type { ListedMail } from "../../mail/mails.server.ts";
import { CSV_CHUNK, csvResponse } from "../lists/csv.server.ts";
import { type Cursor, listQueryAfter, readListQuery } from "../lists/list-query.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/mails-csv.ts";
import { listMails, MAIL_RULES } from "./list-mails.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db } = fromContext(args.context).app;
  const { searchParams } = new URL(args.request.url);
  return csvResponse<ListedMail & { cursor: Cursor }>(
    args.request,
    { db, actor },
    {
      name: "mail",
      filters: readListQuery(searchParams, MAIL_RULES).filters,
      columns: [
        ["mail", ({ id }) => id],
        ["recipient", ({ recipient }) => recipient],
        ["subject", ({ subject }) => subject],
        ["state", (mail) => stateOfMail(mail)],
        ["written", ({ queuedAt }) => queuedAt],
        ["sent", ({ sentAt }) => sentAt],
        ["given up", ({ givenUpAt }) => givenUpAt],
        ["tries", ({ attempts }) => attempts],
        ["why", ({ failure, lastError }) => failure ?? lastError],
      ],
      readChunk: (after) => listMails(db, listQueryAfter(searchParams, MAIL_RULES, after), CSV_CHUNK),
    },
  );
}
