import { and, eq, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { user } from "./schema.ts";

/** Stores the zone that somebody's browser tells when they sign in: the one writer besides `createUser` and `takeOver`. */
export async function noteTimeZone(db: Queryable, userId: string, timeZone: string): Promise<void> {
  await db
    .update(user)
    .set({ timeZone })
    .where(and(eq(user.id, userId), sql`${user.timeZone} IS DISTINCT FROM ${timeZone}`));
}
