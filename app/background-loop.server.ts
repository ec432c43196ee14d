import { AsyncLocalStorage } from "node:async_hooks";

export interface BackgroundLoop {
  /** Resolves after the first run. Further calls have no effect. */
  start(): Promise<void>;
  /** Runs the work now, or right after the current run. */
  wake(): void;
  /** Resolves when the current run has ended; none starts after it. */
  stop(): Promise<void>;
}

/**
 * Repeats work that must not overlap with itself, with a pause after each run. It belongs to where the loop was made, and not to
 * the request that woke it. Its timer does not keep the process alive, and a run that fails is reported to `onError` and does not end the loop.
 */
export function createBackgroundLoop(
  work: () => Promise<unknown>,
  { pauseMilliseconds, onError }: { pauseMilliseconds: number; onError: (error: unknown) => void },
): BackgroundLoop {
  let state: "new" | "running" | "stopped" = "new";
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | undefined;
  let isWoken = false;
  const outside = AsyncLocalStorage.snapshot();

  function run(): Promise<void> {
    clearTimeout(timer);
    isWoken = false;
    current = runSafely().finally(() => {
      current = undefined;
      if (state === "running") timer = setTimeout(run, isWoken ? 0 : pauseMilliseconds).unref();
    });
    return current;
  }

  /** Never rejects, and reports synchronous exceptions too. */
  async function runSafely(): Promise<void> {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
  }

  return {
    async start() {
      if (state !== "new") return;
      state = "running";
      await run();
    },
    wake() {
      if (state !== "running") return;
      if (current) isWoken = true;
      else void outside(run);
    },
    async stop() {
      state = "stopped";
      clearTimeout(timer);
      await current;
    },
  };
}

/** A value that is read again and again, and how often it was seen to change. */
export interface WatchedValue<Value> extends Pick<BackgroundLoop, "start" | "stop"> {
  /** As last read: while it cannot be read, the last known stays in force. */
  current(): Value;
  /** Increases by one with each observed change. */
  revision(): number;
}

/** How long a change stays unseen at most, in milliseconds. */
const WATCH_MILLISECONDS = 1_000;

/** Notices within a second that what `read` finds has changed, whichever process changed it. */
export function watchValue<Value>(
  initial: Value,
  read: () => Promise<Value>,
  onError: (error: unknown) => void,
): WatchedValue<Value> {
  let revision = 0;
  let current = initial;
  const { start, stop } = createBackgroundLoop(refresh, { pauseMilliseconds: WATCH_MILLISECONDS, onError });
  return { start, stop, current: () => current, revision: () => revision };

  async function refresh(): Promise<void> {
    const value = await read();
    if (JSON.stringify(value) !== JSON.stringify(current)) revision++;
    current = value;
  }
}
