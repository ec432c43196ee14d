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
 * Repeats work that must not overlap with itself, with a pause after each run. It belongs to where the loop was made, and not
 * to the request that woke it. Its timer does not keep the process alive, and a run that fails is reported to `onError` and
 * does not end the loop.
 *
 * @param pauseMilliseconds a function is asked after each run
 */
export function createBackgroundLoop(
  work: () => Promise<unknown>,
  {
    pauseMilliseconds,
    onError,
  }: { pauseMilliseconds: number | (() => number); onError: (error: unknown) => void },
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
      if (state === "running") timer = setTimeout(run, isWoken ? 0 : pause()).unref();
    });
    return current;
  }

  function pause(): number {
    return typeof pauseMilliseconds === "number" ? pauseMilliseconds : pauseMilliseconds();
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

/** A value that others may change, and how often it was seen to change. */
export interface WatchedValue<Value> extends Pick<BackgroundLoop, "start" | "stop"> {
  /** As last read: while it cannot be read, the last known stays in force. */
  current(): Value;
  /** Increases by one with each observed change. */
  revision(): number;
  /** Reads it anew, now or right after the reading under way. */
  refresh(): void;
}

/** Until a reading that failed is tried again, in milliseconds. */
const RETRY_MILLISECONDS = 1_000;
/** Until it is read again although nobody said that it has changed, as when messages do not arrive. */
const REREAD_MILLISECONDS = 5_000;

/**
 * Keeps a value that is read at the start, whenever `refresh` says that it may have changed, and at the time at which it
 * changes by itself.
 *
 * @param changesIn in how many milliseconds what was just read changes by itself
 */
export function watchValue<Value>(
  initial: Value,
  read: () => Promise<Value>,
  onError: (error: unknown) => void,
  changesIn: () => number = () => Number.POSITIVE_INFINITY,
): WatchedValue<Value> {
  let revision = 0;
  let current = initial;
  let pauseMilliseconds = RETRY_MILLISECONDS;
  const { start, stop, wake } = createBackgroundLoop(reread, {
    pauseMilliseconds: () => pauseMilliseconds,
    onError,
  });
  return { start, stop, current: () => current, revision: () => revision, refresh: wake };

  async function reread(): Promise<void> {
    pauseMilliseconds = RETRY_MILLISECONDS;
    const value = await read();
    pauseMilliseconds = Math.min(changesIn(), REREAD_MILLISECONDS);
    if (JSON.stringify(value) !== JSON.stringify(current)) revision++;
    current = value;
  }
}
