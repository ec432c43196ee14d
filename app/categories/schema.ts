import { sql } from "drizzle-orm";
import { check, integer, jsonb, pgTable } from "drizzle-orm/pg-core";
import { ownerId } from "../auth/schema.ts";
import { updatedAt } from "../db/columns.ts";
import { type CategoryInput, MAX_CATEGORIES } from "./category-input.ts";

export const savedCategories = pgTable(
  "saved_categories",
  {
    userId: ownerId().primaryKey(),
    categories: jsonb("categories").$type<CategoryInput[]>().notNull(),
    /** Increases with each save, so that a page loaded before another save overwrites nothing. */
    revision: integer("revision").notNull().default(1),
    updatedAt: updatedAt(),
  },
  (table) => [
    check(
      "saved_categories_check",
      sql`jsonb_typeof(${table.categories}) = 'array'
        AND jsonb_array_length(${table.categories}) <= ${sql.raw(String(MAX_CATEGORIES))}
        AND length(${table.categories}::text) <= 8000`,
    ),
  ],
);
