import { sql } from "drizzle-orm";
import { bigint, index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";

/** Without texts: for the operator, and kept as long as finished jobs. */
export const mails = pgTable(
  "mails",
  {
    /** The id of its job in the outbox. */
    id: bigint("id", { mode: "bigint" }).primaryKey(),
    /** In lower case. */
    recipient: text("recipient").notNull(),
    subject: text("subject").notNull(),
    queuedAt: instant("queued_at").notNull().defaultNow(),
    sentAt: instant("sent_at"),
    givenUpAt: instant("given_up_at"),
    failure: text("failure"),
    /** What it can be written anew from: `receipt:in_…`, `answer:…`, `confirmation`. */
    about: text("about"),
  },
  (table) => [
    index("mails_recipient_index").on(sql`${table.recipient} text_pattern_ops`, table.id),
    index("mails_queued_at_index").on(table.queuedAt),
    index("mails_waiting_index")
      .on(table.id)
      .where(sql`${table.sentAt} IS NULL AND ${table.givenUpAt} IS NULL`),
    index("mails_given_up_index").on(table.id).where(sql`${table.givenUpAt} IS NOT NULL`),
  ],
);
