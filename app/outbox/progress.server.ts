import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import type { Job, JobKind } from "./outbox.server.ts";
import { outbox } from "./schema.ts";

/** In the transaction that makes the progress: a retry continues from there. */
export async function saveProgress<Payload extends object>(
  tx: Queryable,
  { id }: Pick<Job, "id">,
  progress: Partial<Payload>,
): Promise<void> {
  await tx
    .update(outbox)
    .set({ payload: sql`${outbox.payload} || ${JSON.stringify(progress)}::jsonb` })
    .where(and(eq(outbox.id, BigInt(id)), isNull(outbox.doneAt)));
}

export interface OpenJob<Payload> {
  payload: Payload;
  runAt: Date;
  isRunning: boolean;
  lastError: string | null;
}

/** Few: each is found by its key. */
export async function listOpenJobs<Payload extends object>(
  db: Queryable,
  { name }: JobKind<Payload>,
): Promise<OpenJob<Payload>[]> {
  // Each half has its own index.
  const halves = [isNull(outbox.claimedAt), isNotNull(outbox.claimedAt)].map((half) =>
    db
      .select({
        payload: outbox.payload,
        runAt: outbox.runAt,
        isRunning: sql<boolean>`${outbox.claimedAt} IS NOT NULL`,
        lastError: outbox.lastError,
      })
      .from(outbox)
      .where(and(eq(outbox.kind, name), isNull(outbox.doneAt), half))
      .limit(100),
  );
  // Payloads are written by `enqueue` only, which takes those of the kind.
  return (await Promise.all(halves)).flat() as OpenJob<Payload>[];
}
