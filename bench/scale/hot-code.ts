/** Many people redeem one code at once, by some processes. Times in milliseconds. */
export interface HotCode {
  /** How many ask at a time; each asks again when it was answered. */
  callers: number;
  processes: number;
  /** Rows among which the code's uses are divided; one, unless its counter is sharded. */
  shards: number;
  /** The most redemptions of one transaction; one without group commit. */
  most: number;
  /** What a transaction takes while it holds the code's row, however many it redeems: the flush above all. */
  fixed: number;
  /** What each of its redemptions adds to that. */
  each: number;
  /** What a request takes of its process's main thread besides. */
  main: number;
}

/** Something that happens: a process has a redemption ready, or a transaction is committed. */
interface Happening {
  at: number;
  process: number;
  /** How many it answers; none for one that has become ready. */
  answered: number;
}

interface Process {
  ready: number;
  hasTransaction: boolean;
  /** When its main thread is free. */
  freeAt: number;
}

/**
 * Simulates transactions that take their turn at the code's row: a process has one under way, and what becomes ready meanwhile is
 * the next one, as in app/db/gather.server.ts. Nothing is by chance.
 *
 * @returns redemptions a second, and how many share a transaction
 */
export function simulateHotCode(
  { callers, processes, shards, most, fixed, each, main }: HotCode,
  count: number,
): { perSecond: number; together: number } {
  const all: Process[] = Array.from({ length: processes }, () => ({
    ready: 0,
    hasTransaction: false,
    freeAt: 0,
  }));
  const rowFreeAt = new Float64Array(shards);
  let coming: Happening[] = [];
  let [now, answered, transactions] = [0, 0, 0];
  for (let caller = 0; caller < callers; caller++) request(caller % processes);

  while (answered < count) {
    now = Math.min(...coming.map(({ at }) => at));
    // All that happens at this moment, and only then what is begun at it: callers who ask again are part of it.
    for (let due = takeDue(); due.length > 0; due = takeDue()) due.forEach(happen);
    all.forEach(begin);
  }
  return { perSecond: (answered / now) * 1000, together: answered / transactions };

  function takeDue(): Happening[] {
    const due = coming.filter(({ at }) => at <= now);
    coming = coming.filter(({ at }) => at > now);
    return due;
  }

  function happen(happening: Happening): void {
    const process = all[happening.process];
    if (!process) return;
    if (happening.answered === 0) {
      process.ready++;
      return;
    }
    process.hasTransaction = false;
    answered += happening.answered;
    transactions++;
    for (let caller = 0; caller < happening.answered; caller++) request(happening.process);
  }

  /** The main thread reads one request after the other. */
  function request(at: number): void {
    const process = all[at];
    if (!process) return;
    process.freeAt = Math.max(now, process.freeAt) + main;
    coming.push({ at: process.freeAt, process: at, answered: 0 });
  }

  function begin(process: Process, at: number): void {
    if (process.hasTransaction || process.ready === 0) return;
    const size = Math.min(most, process.ready);
    const row = at % shards;
    const end = Math.max(now, rowFreeAt[row] ?? 0) + fixed + size * each;
    rowFreeAt[row] = end;
    process.ready -= size;
    process.hasTransaction = true;
    coming.push({ at: end, process: at, answered: size });
  }
}

/** The same while nothing but the row is waited for: a round of all processes redeems for all callers. */
export function mostOfHotCode({ callers, processes, shards, most, fixed, each }: HotCode): number {
  const size = Math.min(most, callers / processes);
  return (shards * size * 1000) / (fixed + size * each);
}
