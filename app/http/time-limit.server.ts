export const TIMED_OUT = Symbol("timed out");

/** The work continues, so that a repeated request finds its result. @param onLateError receives what it throws after the limit */
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
