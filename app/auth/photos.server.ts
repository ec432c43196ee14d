import { randomUUID } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { photos } from "./schema.ts";

/** In place of the one before. */
export async function savePhoto(db: Queryable, userId: string, jpeg: Buffer): Promise<void> {
  const photo = { version: randomUUID(), jpeg };
  await db
    .insert(photos)
    .values({ userId, ...photo })
    .onConflictDoUpdate({ target: photos.userId, set: { ...photo, updatedAt: sql`now()` } });
}

/** `null`: the user has no photo of this version. */
export async function readPhoto(db: Queryable, userId: string, version: string): Promise<Buffer | null> {
  const [found] = await db
    .select({ jpeg: photos.jpeg })
    .from(photos)
    .where(and(eq(photos.userId, userId), eq(photos.version, version)));
  return found?.jpeg ?? null;
}

export async function deletePhoto(db: Queryable, userId: string): Promise<void> {
  await db.delete(photos).where(eq(photos.userId, userId));
}
