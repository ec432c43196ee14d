import type { StoredMessage } from "../../contact/answer.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { CSV_CHUNK, csvResponse } from "../lists/csv.server.ts";
import { type Cursor, listQueryAfter, readListQuery } from "../lists/list-query.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/messages-csv.ts";
import { listMessages, MESSAGE_RULES } from "./list-messages.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db } = fromContext(args.context).app;
  const { searchParams } = new URL(args.request.url);
  return csvResponse<StoredMessage & { cursor: Cursor }>(
    args.request,
    { db, actor },
    {
      name: "messages",
      filters: readListQuery(searchParams, MESSAGE_RULES).filters,
      columns: [
        ["sent", ({ createdAt }) => createdAt],
        ["name", ({ name }) => name],
        ["email", ({ email }) => email],
        ["topic", ({ topic }) => topic],
        ["message", ({ message }) => message],
        ["answered", ({ answeredAt }) => answeredAt],
        ["answered by", ({ answeredBy }) => answeredBy],
        ["answer", ({ answer }) => answer],
      ],
      readChunk: (after) => listMessages(db, listQueryAfter(searchParams, MESSAGE_RULES, after), CSV_CHUNK),
    },
  );
}
