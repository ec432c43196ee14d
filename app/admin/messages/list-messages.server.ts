import { eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { MESSAGE_COLUMNS } from "../../contact/answer.server.ts";
import { contactMessages } from "../../contact/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { readListQuery } from "../lists/list-query.ts";
import { listSource } from "../lists/list-source.server.ts";

const STATES = new Map<string, SQL>([
  ["waiting", isNull(contactMessages.answeredAt)],
  ["answered", isNotNull(contactMessages.answeredAt)],
]);

export const MESSAGES = listSource({
  name: "messages",
  readQuery: (search) =>
    readListQuery(search, { sorts: ["sent"], isDescending: true, filters: ["state", "email"] }),
  keyset({ filters: { state = "", email } }) {
    const conditions = [
      STATES.get(state),
      email ? eq(sql`lower(${contactMessages.email})`, foldAddress(email).toLowerCase()) : undefined,
    ];
    return { by: contactMessages.createdAt, id: contactMessages.id, conditions };
  },
  select: (db, { where, orderBy, limit, cursor }) =>
    db
      .select({ ...MESSAGE_COLUMNS, cursor })
      .from(contactMessages)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit),
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
});
