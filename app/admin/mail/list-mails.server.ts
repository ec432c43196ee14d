import { eq } from "drizzle-orm";
import { MAIL_COLUMNS, MAILS_THAT_ARE } from "../../mail/mails.server.ts";
import { mails } from "../../mail/schema.ts";
import { outbox } from "../../outbox/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { readListQuery } from "../lists/list-query.ts";
import { listSource } from "../lists/list-source.server.ts";

const STATES = new Map(Object.entries(MAILS_THAT_ARE));

export const MAILS = listSource({
  name: "mail",
  readQuery: (search) =>
    readListQuery(search, { sorts: ["written"], isDescending: true, filters: ["state", "recipient"] }),
  keyset({ filters }) {
    const { state = "", recipient } = filters;
    const conditions = [
      STATES.get(state),
      recipient ? eq(mails.recipient, foldAddress(recipient).toLowerCase()) : undefined,
    ];
    return { by: mails.id, id: mails.id, conditions };
  },
  select: (db, { where, orderBy, limit, cursor }) =>
    db
      .select({ ...MAIL_COLUMNS, cursor })
      .from(mails)
      .leftJoin(outbox, eq(outbox.id, mails.id))
      .where(where)
      .orderBy(...orderBy)
      .limit(limit),
  columns: [
    ["recipient", ({ recipient }) => recipient],
    ["subject", ({ subject }) => subject],
    ["state", ({ state }) => state],
    ["written", ({ queuedAt }) => queuedAt],
    ["sent", ({ sentAt }) => sentAt],
    ["given up", ({ givenUpAt }) => givenUpAt],
    ["tries", ({ attempts }) => attempts],
    ["why", ({ failure, lastError }) => failure ?? lastError],
    ["mail", ({ id }) => id],
  ],
});
