import { customType, timestamp } from "drizzle-orm/pg-core";

/** In UTC. Always set from the database's clock. */
export const instant = (name: string) => timestamp(name, { withTimezone: true });
export const createdAt = () => instant("created_at").notNull().defaultNow();
export const updatedAt = () => instant("updated_at").notNull().defaultNow();

export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
