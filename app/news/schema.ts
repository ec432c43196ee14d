import { sql } from "drizzle-orm";
import { check, date, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { ownerId } from "../auth/schema.ts";
import { createdAt, instant, updatedAt } from "../db/columns.ts";
import { FEATURES_SQL } from "../entitlements/schema.ts";
import type { Feature } from "../entitlements/tiers.ts";

export const changelogEntries = pgTable(
  "changelog_entries",
  {
    id: text("id").primaryKey(),
    title: text("title").notNull(),
    /** As `2026-11-26`. */
    day: date("day").notNull(),
    /** Plain text; blank lines divide paragraphs. */
    body: text("body").notNull(),
    feature: text("feature").$type<Feature>(),
    mailedAt: instant("mailed_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("changelog_entries_day_index").on(table.day, table.createdAt),
    check("changelog_entries_feature_check", sql`${table.feature} IN ${FEATURES_SQL}`),
  ],
);

/** Who was mailed an entry: each user once. */
export const changelogMails = pgTable(
  "changelog_mails",
  {
    entryId: text("entry_id")
      .notNull()
      .references(() => changelogEntries.id, { onDelete: "cascade" }),
    userId: ownerId(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.entryId, table.userId] }),
    index("changelog_mails_user_id_index").on(table.userId),
  ],
);
