/** What `withinTime` returns when the time has passed. */
export const TIMED_OUT = Symbol("timed out");

/**
 * Waits for work, for at most so long. The work itself goes on: whoever asks again finds what it did.
 *
 * @param onLateError receives what the work throws after nobody waits for it any more
 */
export async function withinTime<Done>(
  milliseconds: number,
  work: Promise<Done>,
  onLateError: (error: unknown) => void,
): Promise<Done | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => {
      work.catch(onLateError);
      resolve(TIMED_OUT);
    }, milliseconds);
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
