import { and, eq } from "drizzle-orm";
import type { Database } from "../../db/client.server.ts";
import { MAIL_STATES } from "../../mail/mail-state.ts";
import { type ListedMail, MAILS_THAT_ARE, readMails } from "../../mail/mails.server.ts";
import { mails } from "../../mail/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { type Keyset, type ListPage, readPage } from "../lists/keyset.server.ts";
import type { Cursor, ListQuery, ListRules } from "../lists/list-query.ts";

export const MAIL_RULES: ListRules = {
  sorts: ["written"],
  isDescending: true,
  filters: ["state", "recipient"],
};

/** Mails are numbered as they are written. */
const BY_NUMBER: Keyset = { by: mails.id, type: "bigint", id: mails.id, idType: "bigint" };

/** A page of the mails that the query asks for. */
export function listMails(
  db: Database,
  query: ListQuery,
  size?: number,
): Promise<ListPage<ListedMail & { cursor: Cursor }>> {
  const state = MAIL_STATES.find((one) => one === query.filters.state);
  const { recipient } = query.filters;
  const conditions = [
    state && MAILS_THAT_ARE[state],
    recipient ? eq(mails.recipient, foldAddress(recipient).toLowerCase()) : undefined,
  ];
  return readPage(
    BY_NUMBER,
    query,
    ({ where, orderBy, limit, cursor }) =>
      readMails(db, { where: and(where, ...conditions), orderBy, limit }, { cursor }),
    size,
  );
}
