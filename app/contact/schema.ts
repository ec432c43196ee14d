import { sql } from "drizzle-orm";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, instant } from "../db/columns.ts";
import type { Topic } from "./topics.ts";

/** Forms that were sent, kept until their tokens expire: each can be sent once. */
export const sentContactForms = pgTable(
  "sent_contact_forms",
  {
    id: text("id").primaryKey(),
    /** The same form with the same words is a double submission. */
    contentHash: text("content_hash").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("sent_contact_forms_expires_at_index").on(table.expiresAt)],
);

export const contactMessages = pgTable(
  "contact_messages",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    topic: text("topic").$type<Topic>().notNull(),
    message: text("message").notNull(),
    /** SHA-256 of the columns above except the id: a form that is sent twice is one message. */
    contentHash: text("content_hash").notNull().unique(),
    /** Updated when the same message is sent again more than ten minutes later. */
    createdAt: createdAt(),
    answeredAt: instant("answered_at"),
    answeredBy: text("answered_by"),
    answer: text("answer"),
  },
  (table) => [
    index("contact_messages_email_index").on(sql`lower(${table.email})`),
    index("contact_messages_created_at_index").on(table.createdAt, table.id),
    index("contact_messages_unanswered_index")
      .on(table.createdAt, table.id)
      .where(sql`${table.answeredAt} IS NULL`),
    check(
      "contact_messages_answered_check",
      sql`(${table.answeredAt} IS NULL) = (${table.answeredBy} IS NULL)`,
    ),
    check("contact_messages_answer_check", sql`char_length(${table.answer}) BETWEEN 1 AND 10000`),
    check("contact_messages_name_check", sql`char_length(${table.name}) BETWEEN 1 AND 100`),
    check("contact_messages_email_check", sql`char_length(${table.email}) BETWEEN 3 AND 254`),
    check(
      "contact_messages_topic_check",
      sql`${table.topic} IN ('account', 'payment', 'promo', 'idea', 'business', 'other')`,
    ),
    check("contact_messages_message_check", sql`char_length(${table.message}) BETWEEN 1 AND 4000`),
  ],
);
