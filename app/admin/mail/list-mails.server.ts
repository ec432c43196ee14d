import { eq } from "drizzle-orm";
import { stateOfMail } from "../../mail/mail-state.ts";
import { type ListedMail, MAILS_THAT_ARE, readMails } from "../../mail/mails.server.ts";
import { mails } from "../../mail/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { readPage } from "../lists/keyset.server.ts";
import type { ListSource } from "../lists/list.server.ts";
import { type Cursor, readListQuery } from "../lists/list-query.ts";

const STATES = new Map(Object.entries(MAILS_THAT_ARE));

export const MAILS: ListSource<ListedMail & { cursor: Cursor }> = {
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
  read(db, query, size) {
    return readPage(
      MAILS.keyset(query),
      query,
      ({ cursor, ...parts }) => readMails(db, parts, { cursor }),
      size,
    );
  },
  columns: [
    ["recipient", ({ recipient }) => recipient],
    ["subject", ({ subject }) => subject],
    ["state", (mail) => stateOfMail(mail)],
    ["written", ({ queuedAt }) => queuedAt],
    ["sent", ({ sentAt }) => sentAt],
    ["given up", ({ givenUpAt }) => givenUpAt],
    ["tries", ({ attempts }) => attempts],
    ["why", ({ failure, lastError }) => failure ?? lastError],
    ["mail", ({ id }) => id],
  ],
};
