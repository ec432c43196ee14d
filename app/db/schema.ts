import { sql } from "drizzle-orm";
import { boolean, check, pgTable, text } from "drizzle-orm/pg-core";

/** What the database is for, written once at its first start: see purpose.server.ts. */
export const databasePurpose = pgTable(
  "database_purpose",
  {
    onlyRow: boolean("only_row").primaryKey().default(true),
    purpose: text("purpose").$type<"sandbox" | "test" | "live">().notNull(),
  },
  (table) => [check("database_purpose_only_row_check", sql`${table.onlyRow}`)],
);
