import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import { outbox } from "../db/schema.ts";
import type { Log } from "../log.server.ts";
import type { JobHandlers, JobKind, Jobs } from "./outbox.server.ts";

/** How long a claimed job is nobody else's, in seconds. One that takes longer may run twice at once. */
const CLAIM_SECONDS = 90;
const LONGEST_DELAY_SECONDS = 60 * 60;
const POLL_MILLISECONDS = 1_000;

export interface Worker {
  start(): void;
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  /** Does all work that is due and resolves when none is left. */
  drain(): Promise<void>;
  /** Takes no more work and resolves when the job under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs the jobs of the outbox it has handlers for, one after another. Any number of processes may: a job is claimed by moving its `run_at` past the time it may
 * take, so no transaction stays open during it, and a process that dies in the middle loses nothing. A job may
 * therefore run twice; every handler is safe to repeat.
 */
export function createWorker(db: Database, handlers: Partial<JobHandlers>, log: Log): Worker {
  const kinds = Object.keys(handlers);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopping = false;
  let isWoken = false;

  function tick(): void {
    clearTimeout(timer);
    if (running) {
      isWoken = true;
      return;
    }
    running = drain()
      .catch((error: unknown) => log.error({ error }, "the worker could not look for work"))
      .finally(() => {
        running = undefined;
        if (isStopping) return;
        timer = setTimeout(tick, isWoken ? 0 : POLL_MILLISECONDS);
        isWoken = false;
      });
  }

  async function drain(): Promise<void> {
    while (await runNext()) if (isStopping) return;
  }

  async function runNext(): Promise<boolean> {
    const job = await claim(db, kinds);
    if (!job) return false;
    try {
      await handlers[job.kind]?.(job.payload as never, { id: String(job.id), createdAt: job.createdAt });
      // What is done is only counted; its addresses, texts and tokens are nobody's business any more.
      await db
        .update(outbox)
        .set({ doneAt: sql`now()`, lastError: null, payload: {} })
        .where(eq(outbox.id, job.id));
    } catch (error) {
      log.warn({ error, job: String(job.id), kind: job.kind, attempts: job.attempts }, "a job failed");
      const delay = Math.min(2 ** job.attempts, LONGEST_DELAY_SECONDS);
      await db
        .update(outbox)
        .set({ lastError: String(error).slice(0, 500), runAt: sql`now() + make_interval(secs => ${delay})` })
        .where(eq(outbox.id, job.id));
    }
    return true;
  }

  return {
    start: tick,
    wake() {
      if (!isStopping) tick();
    },
    drain,
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}

async function claim(db: Database, kinds: string[]) {
  const [job] = await db
    .update(outbox)
    .set({
      attempts: sql`${outbox.attempts} + 1`,
      runAt: sql`now() + make_interval(secs => ${CLAIM_SECONDS})`,
    })
    .where(
      sql`${outbox.id} = (
        SELECT id FROM ${outbox} WHERE done_at IS NULL AND run_at <= now() AND kind IN ${kinds}
        ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED
      )`,
    )
    .returning();
  return job && { ...job, kind: job.kind as JobKind, payload: job.payload as Jobs[JobKind] };
}
