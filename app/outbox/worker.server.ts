import { setTimeout as sleep } from "node:timers/promises";
import { createBackgroundLoop } from "../background-loop.server.ts";
import type { App } from "../http/context.server.ts";
import { NO_TELEMETRY } from "../telemetry/telemetry.ts";
import { newWorkId } from "../telemetry/work.server.ts";
import {
  type ClaimedJob,
  claimJobs,
  giveBack,
  markDone,
  renewClaim,
  rescheduleJob,
} from "./claims.server.ts";
import type { JobHandler } from "./outbox.server.ts";

/** Delayed jobs and retries send no notification. */
const POLL_MILLISECONDS = 5_000;
/** A claim lasts 25 seconds (claims.server.ts), so two renewals may fail before another worker takes over. */
const RENEW_MILLISECONDS = 8_000;
/** Of a stopping process, before it gives its jobs back. */
const PATIENCE_MILLISECONDS = 10_000;

export type Worker = ReturnType<typeof createWorker>;

/**
 * The longest due first, up to `concurrency` at a time, so that a slow one does not block the others. A claim expires unless renewed
 * while the job runs, so no transaction stays open and a dead process's jobs are soon taken over. A job may therefore run twice, and
 * handlers must be idempotent.
 */
export function createWorker(
  { db, log, telemetry = NO_TELEMETRY }: Pick<App, "db" | "log"> & Partial<Pick<App, "telemetry">>,
  handlers: readonly JobHandler[],
  { concurrency = 1 }: { concurrency?: number } = {},
) {
  const runByKind = new Map(handlers.map(({ kind, run }) => [kind, run]));
  const kinds = [...runByKind.keys()];
  const running = new Map<Promise<void>, ClaimedJob>();
  let isStopping = false;
  const loop = createBackgroundLoop(startDueJobs, {
    pauseMilliseconds: POLL_MILLISECONDS,
    onError: (error) => log.warn({ error }, "the worker could not look for work; it looks again"),
  });

  async function startDueJobs(): Promise<number> {
    let started = 0;
    while (!isStopping && running.size < concurrency) {
      const jobs = await claimJobs(db, kinds, concurrency - running.size);
      if (isStopping) await Promise.all(jobs.map((job) => giveBack(db, job)));
      else for (const job of jobs) startJob(job);
      started += jobs.length;
      if (jobs.length === 0) break;
    }
    return started;
  }

  function startJob(job: ClaimedJob): void {
    const work = runAsWork(job).finally(() => {
      running.delete(work);
      loop.wake();
    });
    running.set(work, job);
  }

  /** Each run has an id and, while tracing is on, its own trace. */
  async function runAsWork(job: ClaimedJob): Promise<void> {
    const { currentWork, meters, tracer } = telemetry;
    const startedAt = performance.now();
    const id = newWorkId();
    const span = tracer.begin(id, `job ${job.kind}`, "job");
    const outcome = await (currentWork?.run({ id, span }, run, job) ?? run(job));
    meters.record("jobs_total", { kind: job.kind, outcome });
    meters.record("job_duration_seconds", { kind: job.kind }, (performance.now() - startedAt) / 1000);
    span?.setAttributes({ "job.id": job.id, "job.attempts": job.attempts, "job.outcome": outcome }).end();
  }

  /** Never rejects: a job whose outcome cannot be written is claimed again when its claim expires. */
  async function run(job: ClaimedJob): Promise<"done" | "failed"> {
    const logLostClaim = (error: unknown) =>
      log.warn({ error, job: job.id, kind: job.kind }, "a claim was not kept");
    const renewal = setInterval(() => renewClaim(db, job).catch(logLostClaim), RENEW_MILLISECONDS).unref();
    try {
      await runByKind.get(job.kind)?.(job.payload, job);
      await markDone(db, job);
      return "done";
    } catch (error) {
      log.warn({ error, job: job.id, kind: job.kind, attempts: job.attempts }, "a job failed");
      await rescheduleJob(db, job, error).catch(logLostClaim);
      return "failed";
    } finally {
      clearInterval(renewal);
    }
  }

  return {
    start: () => void loop.start(),
    /** @param kind the one that is due; empty: not known */
    wake(kind = ""): void {
      if (kind === "" || runByKind.has(kind)) loop.wake();
    },
    /** Resolves when no due job is left. */
    async drain(): Promise<void> {
      for (;;) {
        // Jobs that ran since may have queued, or held back, one that this look did not see.
        const wasIdle = running.size === 0;
        const started = await startDueJobs();
        if (wasIdle && started === 0) return;
        if (running.size > 0) await Promise.race(running.keys());
      }
    },
    /** Resolves when the running jobs have ended or, after a while, were given back. */
    async stop(patienceMilliseconds = PATIENCE_MILLISECONDS): Promise<void> {
      isStopping = true;
      await loop.stop();
      const ended = Promise.all(running.keys());
      await Promise.race([ended, sleep(patienceMilliseconds, undefined, { ref: false })]);
      for (const job of running.values()) {
        log.warn({ job: job.id, kind: job.kind }, "a job did not end in time; it is given back");
        await giveBack(db, job).catch((error: unknown) =>
          log.warn({ error }, "a job could not be given back"),
        );
      }
    },
  };
}
