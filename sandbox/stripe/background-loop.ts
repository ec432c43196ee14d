export interface BackgroundLoop {
  /** Runs the work now and then every second; further starts change nothing. */
  start(): void;
  /** Runs the work soon, if it was started: after the present run when one is under way. */
  kick(): void;
  /** Resolves when the present run has ended; there is none after it. */
  close(): Promise<void>;
}

const everyMs = 1_000;

/** Repeats work that must not overlap with itself. Its timer never keeps the process alive. */
export function createBackgroundLoop(
  work: (stopped: () => boolean) => Promise<void>,
  onError: (error: unknown) => void,
): BackgroundLoop {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let kicked = false;
  let closed = false;

  function start(): void {
    if (closed || timer) return;
    timer = setInterval(kick, everyMs).unref();
    kick();
  }

  function kick(): void {
    if (closed || !timer) return;
    kicked = true;
    running ??= runWhileKicked();
  }

  async function runWhileKicked(): Promise<void> {
    while (kicked && !closed) {
      kicked = false;
      await work(() => closed).catch(onError);
    }
    running = undefined;
  }

  async function close(): Promise<void> {
    closed = true;
    clearInterval(timer);
    await running;
  }

  return { start, kick, close };
}
