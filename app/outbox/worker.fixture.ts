import { pino } from "pino";
import { openDatabase } from "../../test/database.ts";
import {
  DELETE_CUSTOMER,
  SYNC_CATALOGUE,
  SYNC_CUSTOMER,
  UPDATE_CUSTOMER,
} from "../billing/job-kinds.server.ts";
import { SEND_MAIL } from "../mail/enqueue-mail.server.ts";
import { enqueue, handleJob, type Job } from "./outbox.server.ts";
import { createWorker } from "./worker.server.ts";

export const silent = pino({ level: "silent" });

/** A fresh database, and workers on its outbox whose jobs are strings. */
export async function openOutbox() {
  const database = await openDatabase();
  return {
    ...database,
    enqueueFor: (stripeCustomerId: string) => enqueue(database.db, SYNC_CUSTOMER, { stripeCustomerId }),

    workerDoing(work: (stripeCustomerId: string, job: Job) => Promise<void>, concurrency = 1) {
      const handlers = [
        handleJob(SYNC_CUSTOMER, ({ stripeCustomerId }, job) => work(stripeCustomerId, job)),
        ...[UPDATE_CUSTOMER, DELETE_CUSTOMER, SYNC_CATALOGUE, SEND_MAIL].map(({ name: kind }) => ({
          kind,
          run: async () => {},
        })),
      ];
      return createWorker({ db: database.db, log: silent }, handlers, { concurrency });
    },

    async jobs() {
      const { rows } = await database.pool.query(
        `SELECT attempts, last_error, done_at IS NOT NULL AS done, extract(epoch FROM run_at - now())::float AS wait
         FROM outbox ORDER BY id`,
      );
      return rows;
    },

    /** Makes every job due. */
    hurry: () => database.pool.query("UPDATE outbox SET run_at = now()"),
  };
}
