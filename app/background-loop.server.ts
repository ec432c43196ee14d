import { AsyncLocalStorage } from "node:async_hooks";

/** Without overlap, in the context in which it was created. Its timer does not keep the process alive. */
export function createBackgroundLoop(
  work: () => Promise<unknown>,
  {
    pauseMilliseconds,
    onError,
  }: { pauseMilliseconds: number | (() => number); onError: (error: unknown) => void },
) {
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

  /** Never rejects. */
  async function runSafely(): Promise<void> {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
  }

  return {
    /** Resolves after the first run. Further calls have no effect. */
    async start(): Promise<void> {
      if (state !== "new") return;
      state = "running";
      await run();
    },
    /** Now, or right after the current run. */
    wake(): void {
      if (state !== "running") return;
      if (current) isWoken = true;
      else void outside(run);
    },
    async stop(): Promise<void> {
      state = "stopped";
      clearTimeout(timer);
      await current;
    },
  };
}

export interface WatchedValue<Value> extends Pick<ReturnType<typeof createBackgroundLoop>, "start" | "stop"> {
  /** A failed read keeps the last value. */
  current(): Value;
  revision(): number;
  refresh(): void;
}

const RETRY_MILLISECONDS = 1_000;
/** For when notifications do not arrive. */
const REREAD_MILLISECONDS = 5_000;

/** At the start, on `refresh`, and when it is due to change by itself. @param changesIn milliseconds until that */
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
