import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { readMessages, type StoredMessage } from "../../contact/answer.server.ts";
import { contactMessages } from "../../contact/schema.ts";
import type { Database } from "../../db/client.server.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { type Keyset, type ListPage, readPage } from "../lists/keyset.server.ts";
import type { Cursor, ListQuery, ListRules } from "../lists/list-query.ts";

export const MESSAGE_RULES: ListRules = { sorts: ["sent"], isDescending: true, filters: ["state", "email"] };

const BY_TIME: Keyset = {
  by: contactMessages.createdAt,
  type: "timestamptz",
  id: contactMessages.id,
  idType: "text",
};

const STATES = new Map<string, SQL>([
  ["waiting", isNull(contactMessages.answeredAt)],
  ["answered", isNotNull(contactMessages.answeredAt)],
]);

/** A page of the messages that the query asks for. */
export function listMessages(
  db: Database,
  query: ListQuery,
  size?: number,
): Promise<ListPage<StoredMessage & { cursor: Cursor }>> {
  const { state = "", email } = query.filters;
  const conditions = [
    STATES.get(state),
    email ? eq(sql`lower(${contactMessages.email})`, foldAddress(email).toLowerCase()) : undefined,
  ];
  return readPage(
    BY_TIME,
    query,
    ({ where, orderBy, limit, cursor }) =>
      readMessages(db, { where: and(where, ...conditions), orderBy, limit }, { cursor }),
    size,
  );
}

/** The messages that have waited longest for an answer. */
export const listWaitingMessages = (db: Database) =>
  listMessages(db, { sort: "sent", isDescending: false, from: null, filters: { state: "waiting" } });
