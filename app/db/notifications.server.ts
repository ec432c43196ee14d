import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

/** `changes`: a table that every process keeps in memory was written, by its trigger; `jobs`: one may be due. */
type Channel = "changes" | "jobs";

/** Told when something was said on a channel, and when something may have been said that was not heard. */
type Listener = () => void;

/** A message to this process itself, to be sent with pg_notify over another connection: it proves that this one hears. */
interface Ping {
  channel: string;
  payload: string;
  /** To be called once it was sent: while it waits for a connection nobody can have heard it. */
  sent(): void;
}

export interface Notifications {
  /** Of this process, among all that use the database. */
  readonly processId: string;
  /** Whether messages arrive, as far as the last ping says. Until then whoever waits for them has to ask instead. */
  isHearing(): boolean;
  /** @returns what ends it */
  listen(channel: Channel, listener: Listener): () => void;
  /** @returns `null` while there is no connection that could hear it, and while the last one, which was heard, is recent */
  ping(): Ping | null;
  close(): Promise<void>;
}

/** In milliseconds. */
const TIMES = {
  /** Connecting, and each statement. */
  answer: 3_000,
  /** After which a ping counts as not heard. */
  ping: 2_000,
  /** Between two attempts to connect, doubled each time. */
  retry: 250,
  /** At most, while the database is away. */
  retryAway: 5_000,
  /** At most, while connections are made and hear nothing: for a pooler's log each is a line, and nothing will change soon. */
  retryDeaf: 5 * 60 * 1000,
  /** Between two pings while they are heard. */
  pause: 4_000,
};

/**
 * Hears what processes tell each other by LISTEN and NOTIFY, on one connection of its own, which is opened again
 * whenever it is lost. A connection may be open and hear nothing, as through PgBouncer in transaction mode or after the
 * network went away, so it counts only once it has heard a ping that came by another connection.
 */
export function openNotifications(url: string): Notifications {
  const processId = randomUUID();
  const ownChannel = `process_${processId}`;
  const listeners: Record<Channel, Set<Listener>> = { changes: new Set(), jobs: new Set() };
  const closing = new AbortController();
  let connected: { client: Client; giveUp: () => void } | null = null;
  let isHearing = false;
  let retryMilliseconds = TIMES.retry;
  let pingedAt = Number.NEGATIVE_INFINITY;
  const unheard = new Map<string, NodeJS.Timeout>();
  let lastHeard: string | undefined;
  const running = run();

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: TIMES.answer,
        query_timeout: TIMES.answer,
        keepAlive: true,
        application_name: "notifications",
      });
      // By its own word, or because it is given up: of a network that went away a connection never learns.
      const { promise: lost, resolve: giveUp } = Promise.withResolvers<void>();
      client.once("end", giveUp);
      client.on("error", () => giveUp());
      client.on("notification", ({ channel, payload }) => hear(channel, payload ?? ""));
      try {
        await client.connect();
        await client.query(`LISTEN changes; LISTEN jobs; LISTEN "${ownChannel}"`);
        connected = { client, giveUp };
        // Whatever was said until now was not heard, and the next ping will tell whether this is.
        tellAll();
        await lost;
      } catch {
        // Whoever asks for the database itself says that it is away.
        retryMilliseconds = Math.min(retryMilliseconds, TIMES.retryAway);
      }
      connected = null;
      forgetPings();
      setHearing(false);
      void client.end().catch(() => {});
      await sleep(retryMilliseconds, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      retryMilliseconds = Math.min(retryMilliseconds * 2, TIMES.retryDeaf);
    }
  }

  function hear(channel: string, payload: string): void {
    if (channel === ownChannel) {
      lastHeard = payload;
      clearTimeout(unheard.get(payload));
      unheard.delete(payload);
      retryMilliseconds = TIMES.retry;
      setHearing(true);
    } else if (channel === "changes") tell("changes");
    // What this process has said itself it knows.
    else if (channel === "jobs" && payload !== processId) tell("jobs");
  }

  function setHearing(next: boolean): void {
    if (isHearing === next) return;
    isHearing = next;
    tellAll();
  }

  function tellAll(): void {
    if (closing.signal.aborted) return;
    tell("changes");
    tell("jobs");
  }

  function tell(channel: Channel): void {
    for (const listener of listeners[channel]) listener();
  }

  function missPing(): void {
    const deaf = connected;
    connected = null;
    forgetPings();
    setHearing(false);
    // Through a pooler LISTEN stays with a connection that others use next.
    if (deaf) void deaf.client.query("UNLISTEN *").then(deaf.giveUp, deaf.giveUp);
  }

  function forgetPings(): void {
    for (const timer of unheard.values()) clearTimeout(timer);
    unheard.clear();
  }

  return {
    processId,
    isHearing: () => isHearing,
    listen(channel, listener) {
      listeners[channel].add(listener);
      return () => listeners[channel].delete(listener);
    },
    ping() {
      const now = performance.now();
      if (!connected || (isHearing && now - pingedAt < TIMES.pause)) return null;
      pingedAt = now;
      const payload = randomUUID();
      const { client } = connected;
      return {
        channel: ownChannel,
        payload,
        sent() {
          if (lastHeard === payload || connected?.client !== client) return;
          unheard.set(payload, setTimeout(missPing, TIMES.ping).unref());
        },
      };
    },
    async close() {
      closing.abort();
      connected?.giveUp();
      await Promise.race([running, sleep(TIMES.answer, undefined, { ref: false })]);
    },
  };
}
