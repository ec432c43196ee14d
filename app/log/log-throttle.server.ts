const MINUTE_MILLISECONDS = 60_000;

/**
 * Says at once what has not been said for a minute; what is said again meanwhile is counted, and said with its count
 * when the minute is over. So something that fails every second takes a line a minute, and nothing is kept back for
 * longer.
 *
 * @returns what to call each time; `say` is given how often it stands for
 */
export function createRepeats() {
  const said = new Map<string, { count: number; say: (count: number) => void }>();

  return function sayOrCount(what: string, say: (count: number) => void): void {
    const before = said.get(what);
    if (before) {
      before.count++;
      before.say = say;
      return;
    }
    const minute = { count: 0, say };
    said.set(what, minute);
    say(1);
    const timer = setInterval(() => {
      if (minute.count > 0) minute.say(minute.count);
      else {
        clearInterval(timer);
        said.delete(what);
      }
      minute.count = 0;
    }, MINUTE_MILLISECONDS);
    timer.unref();
  };
}
