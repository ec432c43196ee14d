import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

/** A cached table was written; a job of this kind is due. Sent by triggers. Empty: earlier messages may have been missed. */
type Messages = Record<"changes" | "jobs", [message: string]>;

export interface Notifications {
  on<Channel extends keyof Messages>(channel: Channel, listener: (message: string) => void): unknown;
  close(): Promise<void>;
}

/** For connecting and for each statement. */
const ANSWER_MILLISECONDS = 3_000;
const RETRY_MILLISECONDS = 1_000;

/** On its own connection. Messages only save time: through PgBouncer none arrive, so listeners also poll. */
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
        // Not logged: queries report that the database is away.
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
