/** Repeats work that must not overlap with itself, with a pause after each run, until it is stopped. */
export function createBackgroundLoop(
  work: () => Promise<void>,
  { pauseMilliseconds, onError }: { pauseMilliseconds: number; onError: (error: unknown) => void },
) {
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | undefined;
  let isWoken = false;

  function run(): void {
    clearTimeout(timer);
    isWoken = false;
    current = work()
      .catch(onError)
      .finally(() => {
        current = undefined;
        if (isRunning) timer = setTimeout(run, isWoken ? 0 : pauseMilliseconds).unref();
      });
  }

  return {
    start() {
      isRunning = true;
      run();
    },
    /** Runs the work now, or right after the current run. */
    wake() {
      if (!isRunning) return;
      if (current) isWoken = true;
      else run();
    },
    /** Resolves when the current run has ended; none starts after it. */
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      await current;
    },
  };
}
