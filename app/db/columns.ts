import { timestamp } from "drizzle-orm/pg-core";

/** Every instant is UTC, and the database's clock decides. */
export const instant = (name: string) => timestamp(name, { withTimezone: true });
export const createdAt = () => instant("created_at").notNull().defaultNow();
export const updatedAt = () => instant("updated_at").notNull().defaultNow();
