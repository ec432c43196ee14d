import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

/**
 * `changes`: a table that every process keeps in memory was written; `jobs`: one is due, with its kind. Both are sent by triggers.
 * The message is empty when something may have been said that was not heard.
 */
type Messages = Record<"changes" | "jobs", [message: string]>;

export interface Notifications {
  on<Channel extends keyof Messages>(channel: Channel, listener: (message: string) => void): unknown;
  close(): Promise<void>;
}

/** Connecting, and each statement, in milliseconds. */
const ANSWER_MILLISECONDS = 3_000;
/** Between two attempts to connect. */
const RETRY_MILLISECONDS = 1_000;

/**
 * Hears NOTIFY on one connection of its own, which is opened again whenever it is lost. Messages only save time: through
 * PgBouncer in transaction mode none arrive, so whoever listens also looks every few seconds.
 */
export function openNotifications(url: string): Notifications {
  const messages = new EventEmitter<Messages>();
  const closing = new AbortController();
  const running = run();

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: ANSWER_MILLISECONDS,
        query_timeout: ANSWER_MILLISECONDS,
        keepAlive: true,
        application_name: "notifications",
      });
      const { promise: lost, resolve: giveUp } = Promise.withResolvers<void>();
      client.once("end", giveUp);
      client.on("error", () => giveUp());
      client.on("notification", ({ channel, payload = "" }) => {
        if (channel === "changes" || channel === "jobs") messages.emit(channel, payload);
      });
      closing.signal.addEventListener("abort", () => giveUp());
      try {
        await client.connect();
        await client.query("LISTEN changes; LISTEN jobs");
        messages.emit("changes", "");
        messages.emit("jobs", "");
        await lost;
      } catch {
        // Whoever asks for the database itself says that it is away.
      }
      void client.end().catch(() => {});
      await sleep(RETRY_MILLISECONDS, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
  }

  return {
    on: (channel, listener) => messages.on(channel, listener as never),
    async close() {
      closing.abort();
      await Promise.race([running, sleep(ANSWER_MILLISECONDS, undefined, { ref: false })]);
    },
  };
}
