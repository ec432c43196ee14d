/** What somebody is told who has had their turns. */
export function waitMessage(seconds: number): string {
  return `Wait ${seconds === 1 ? "1 second" : `${seconds} seconds`} and try again`;
}

/** For how many seconds such a message has somebody wait; 0 for any other. */
export function secondsToWait(message: string): number {
  return Number(/^Wait (\d+) seconds? and try again$/.exec(message)?.[1] ?? 0);
}
