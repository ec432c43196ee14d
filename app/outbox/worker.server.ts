import { createBackgroundLoop } from "../background-loop.server.ts";
import type { Database } from "../db/client.server.ts";
import type { Log } from "../log/log.server.ts";
import { type ClaimedJob, claimJob, markDone, putBack, renewClaim } from "./claims.server.ts";
import type { JobHandler } from "./outbox.server.ts";

const POLL_MILLISECONDS = 1_000;
/** A claim lasts 25 seconds (claims.server.ts), so two renewals may fail before another worker takes the job over. */
const RENEW_MILLISECONDS = 8_000;

export interface Worker {
  start(): void;
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  /** Does all work that is due and resolves when none is left. */
  drain(): Promise<void>;
  /** Takes no more work and resolves when the jobs under way have ended. */
  stop(): Promise<void>;
}

/**
 * Runs the jobs of the outbox it has handlers for, the longest due first, `concurrency` of them at a time: a slow one
 * does not hold up the others. Any number of processes may. A job is claimed for a while and the claim renewed during
 * the work, so no transaction stays open, and the jobs of a process that dies are taken over soon. A job may therefore
 * run twice; every handler is safe to repeat.
 */
export function createWorker(
  db: Database,
  handlers: readonly JobHandler[],
  log: Log,
  concurrency = 1,
): Worker {
  const runByKind = new Map(handlers.map(({ kind, run }) => [kind, run]));
  const kinds = [...runByKind.keys()];
  const underWay = new Set<Promise<void>>();
  let isStopping = false;
  const loop = createBackgroundLoop(takeDueJobs, {
    pauseMilliseconds: POLL_MILLISECONDS,
    onError: (error) => log.error({ error }, "the worker could not look for work"),
  });

  /** Begins jobs until none is due or no more may run at once. */
  async function takeDueJobs(): Promise<void> {
    while (underWay.size < concurrency && !isStopping) {
      const job = await claimJob(db, kinds);
      if (!job) return;
      const work = run(job).finally(() => {
        underWay.delete(work);
        loop.wake();
      });
      underWay.add(work);
    }
  }

  /** Never rejects: what cannot even be written down is claimed again when its claim has run out. */
  async function run(job: ClaimedJob): Promise<void> {
    const onLost = (error: unknown) =>
      log.warn({ error, job: job.id, kind: job.kind }, "a claim was not kept");
    const renewal = setInterval(() => renewClaim(db, job).catch(onLost), RENEW_MILLISECONDS).unref();
    try {
      await runByKind.get(job.kind)?.(job.payload, job);
      await markDone(db, job);
    } catch (error) {
      log.warn({ error, job: job.id, kind: job.kind, attempts: job.attempts }, "a job failed");
      await putBack(db, job, error).catch(onLost);
    } finally {
      clearInterval(renewal);
    }
  }

  return {
    start: () => void loop.start(),
    wake: loop.wake,
    async drain() {
      for (;;) {
        await takeDueJobs();
        if (underWay.size === 0) return;
        await Promise.race(underWay);
      }
    },
    async stop() {
      isStopping = true;
      await loop.stop();
      await Promise.all(underWay);
    },
  };
}
