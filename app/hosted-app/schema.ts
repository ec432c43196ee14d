import { index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";

/** A token is used once. */
export const handoffs = pgTable(
  "handoffs",
  {
    /** SHA-256 of issuer and `jti`, in base64url. */
    tokenHash: text("token_hash").primaryKey(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("handoffs_expires_at_index").on(table.expiresAt)],
);
