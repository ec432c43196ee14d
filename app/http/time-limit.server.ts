import { setTimeout as sleep } from "node:timers/promises";

export const TIMED_OUT = Symbol("timed out");

/** The work continues, so that a repeated request finds its result. @param onLateError receives what it throws after the limit */
export async function withinTime<Done>(
  milliseconds: number,
  work: Promise<Done>,
  onLateError?: (error: unknown) => void,
): Promise<Done | typeof TIMED_OUT> {
  const answered = new AbortController();
  const timedOut = sleep(milliseconds, TIMED_OUT, { signal: answered.signal });
  const first = await Promise.race([work, timedOut]).finally(() => answered.abort());
  if (first === TIMED_OUT && onLateError) work.catch(onLateError);
  return first;
}
