const MINUTE_MILLISECONDS = 60_000;

/**
 * Limits repeated log lines to one a minute. The first line with a key is written at once; further ones are counted
 * and written as one line when the minute is over.
 *
 * @returns a function to call for each line; it calls `write` with the number of lines that this one represents
 */
export function createLogThrottle() {
  const recent = new Map<string, { count: number; write: (count: number) => void }>();

  return function throttle(key: string, write: (count: number) => void): void {
    const known = recent.get(key);
    if (known) {
      known.count++;
      known.write = write;
      return;
    }
    const pending = { count: 0, write };
    recent.set(key, pending);
    write(1);
    const timer = setInterval(() => {
      if (pending.count > 0) pending.write(pending.count);
      else {
        clearInterval(timer);
        recent.delete(key);
      }
      pending.count = 0;
    }, MINUTE_MILLISECONDS);
    timer.unref();
  };
}
