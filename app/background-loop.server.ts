export interface BackgroundLoop {
  /** Begins. Resolves after the first round; further starts change nothing. */
  start(): Promise<void>;
  /** Runs the next round now: right after the present one when there is one. */
  wake(): void;
  /** Ends it. Resolves when the round under way has ended; none begins after it. */
  stop(): Promise<void>;
}

/**
 * Repeats work that must not overlap with itself, with a pause after each round. Its timer never keeps the process
 * alive, and a round that fails is reported and does not end the loop.
 */
export function createBackgroundLoop(
  work: () => Promise<unknown>,
  { pauseMilliseconds, onError }: { pauseMilliseconds: number; onError: (error: unknown) => void },
): BackgroundLoop {
  let state: "new" | "running" | "stopped" = "new";
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isWoken = false;

  function run(): Promise<void> {
    clearTimeout(timer);
    isWoken = false;
    round = runRound().finally(() => {
      round = undefined;
      if (state === "running") timer = setTimeout(run, isWoken ? 0 : pauseMilliseconds).unref();
    });
    return round;
  }

  /** Never rejects, and an exception before the first `await` counts as one after it. */
  async function runRound(): Promise<void> {
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
      if (round) isWoken = true;
      else void run();
    },
    async stop() {
      state = "stopped";
      clearTimeout(timer);
      await round;
    },
  };
}
