import { AsyncLocalStorage } from "node:async_hooks";
import type { Database } from "./client.server.ts";
import { DatabaseAwayError, isDatabaseAway, isLockConflict } from "./database-away.server.ts";

/** The most that may wait unless a gatherer says otherwise: as many as wait for a pool of the default size. */
const MOST_WAITING = 1_000;
/** How long something may wait unless a gatherer says otherwise: what a transaction waits of the default five seconds. */
const PATIENCE_MILLISECONDS = 2_000;

export interface GathererOptions<Item, Answer> {
  /**
   * Does a batch in one transaction, or one statement, and resolves after its commit.
   *
   * @param items one or more; alone, an item may wait for locks that would hold up others
   * @returns one answer for each, in their order. A promise is an answer that is not part of the batch any more: its caller waits
   *   for it alone
   */
  run(items: readonly Item[]): Promise<readonly (Answer | PromiseLike<Answer>)[]>;
  /** Items of a batch. */
  most: number;
  /** Batches under way at once in this process. */
  atOnce: number;
  /** The items of a batch are all of one lane, and a lane has one batch under way: for what each other would wait for. */
  laneOf?: (item: Item) => string;
  mostWaiting?: number;
  /** The longest an item waits for its batch to begin. */
  patienceMilliseconds?: number;
  /** Whether batches change nothing: then one that got no answer may be tried again, too. */
  isReading?: boolean;
}

/** An item, who waits for its answer, and as part of which request or job. */
interface Entry<Item, Answer> {
  item: Item;
  /** Those without one are never kept waiting for each other. */
  lane: string | undefined;
  /** When there is no time left to try again, by `performance.now()`. */
  deadline: number;
  patience: NodeJS.Timeout | undefined;
  resolve: (answer: Answer | PromiseLike<Answer>) => void;
  reject: (error: unknown) => void;
  inItsContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

export interface Gatherer<Item, Answer> {
  /** Adds an item. @returns its answer */
  (item: Item): Promise<Answer>;
  /** Whether a batch of this lane is under way. */
  isBusy(lane: string): boolean;
}

/**
 * Group commit: what arrives while the database is busy with the last ones is done together, in one transaction, so that many
 * share one wait for the disk. What finds a place free begins at the end of this turn of the event loop, with what else came in it:
 * nothing ever waits for others to come.
 *
 * Each caller gets the answer to its own item, after the commit, or the error of its own item: a batch that was rolled back is
 * tried again in halves until the one that fails is alone. When nobody knows whether it was committed, because the database
 * did not answer, all of them are told so, and nothing is tried again.
 *
 * Queries and log lines of a batch belong to the request of its first item; what follows an answer, to that of its caller.
 *
 * @returns what adds an item. It fails with a `DatabaseAwayError`, without having been begun, when too many wait already or
 *   it has waited too long
 */
export function createGatherer<Item, Answer>({
  run,
  most,
  atOnce,
  laneOf,
  mostWaiting = MOST_WAITING,
  patienceMilliseconds = PATIENCE_MILLISECONDS,
  isReading = false,
}: GathererOptions<Item, Answer>): Gatherer<Item, Answer> {
  type Waiting = Entry<Item, Answer>;
  const waiting = new Set<Waiting>();
  const busyLanes = new Set<string | undefined>();
  let free = atOnce;
  let willBegin = false;

  return Object.assign(gather, { isBusy: (lane: string) => busyLanes.has(lane) });

  function gather(item: Item): Promise<Answer> {
    if (waiting.size >= mostWaiting)
      return Promise.reject(new DatabaseAwayError("too many are waiting for the same work already"));
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const entry: Waiting = {
      item,
      lane: laneOf?.(item),
      deadline: performance.now() + patienceMilliseconds,
      patience: undefined,
      resolve,
      reject,
      inItsContext: AsyncLocalStorage.snapshot(),
    };
    waiting.add(entry);
    if (free > 0 && !willBegin) {
      willBegin = true;
      setImmediate(beginAll);
    }
    entry.patience = setTimeout(giveUp, patienceMilliseconds, entry);
    return promise;
  }

  /** Begins batches with what waits, as far as there are places for them. */
  function beginAll(): void {
    willBegin = false;
    while (free > 0) {
      const [first, ...others] = nextBatch();
      if (!first) return;
      begin(first, [first, ...others]);
    }
  }

  function begin(first: Waiting, batch: readonly Waiting[]): void {
    for (const entry of batch) {
      clearTimeout(entry.patience);
      waiting.delete(entry);
    }
    if (first.lane !== undefined) busyLanes.add(first.lane);
    free--;
    // The callers of this batch are told first, and often ask for more at once: that is part of the next one.
    void first.inItsContext(() => answer(batch)).finally(() => setImmediate(end, first.lane));
  }

  /** Those that have waited longest, of one lane. */
  function nextBatch(): Waiting[] {
    const batch: Waiting[] = [];
    for (const entry of waiting) {
      if (batch.length === most) break;
      if (!busyLanes.has(entry.lane) && entry.lane === (batch[0] ?? entry).lane) batch.push(entry);
    }
    return batch;
  }

  function end(lane: string | undefined): void {
    free++;
    busyLanes.delete(lane);
    beginAll();
  }

  /** Runs a batch and tells each of its callers. Never rejects. */
  async function answer(batch: readonly Waiting[]): Promise<void> {
    let answers: Awaited<ReturnType<typeof run>>;
    try {
      answers = await run(batch.map(({ item }) => item));
    } catch (error) {
      return answerInHalves(batch, error);
    }
    if (answers.length !== batch.length) {
      // Committed, whatever was meant: it must not be tried again.
      const error = new Error(`a batch of ${batch.length} has ${answers.length} answers`);
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
  }

  async function answerInHalves(batch: readonly Waiting[], error: unknown): Promise<void> {
    const mayTryAgain = batch.length > 1 && (isReading || isRolledBack(error));
    const inTime = mayTryAgain ? batch.filter(({ deadline }) => deadline > performance.now()) : [];
    // Whose fault it is that it failed is known only of one that is alone.
    const late = mayTryAgain
      ? new DatabaseAwayError("no time is left to try again", { cause: error })
      : error;
    for (const entry of batch) if (!inTime.includes(entry)) entry.reject(late);
    const middle = Math.ceil(inTime.length / 2);
    for (const half of [inTime.slice(0, middle), inTime.slice(middle)])
      await half[0]?.inItsContext(() => answer(half));
  }

  function giveUp(entry: Waiting): void {
    waiting.delete(entry);
    entry.reject(new DatabaseAwayError("what is under way takes too long"));
  }
}

/** As long as each item would wait for a connection of its own, or a share of that: what gatherers of this database are patient for. */
export function patienceOver({ $client }: Database, share = 1): { patienceMilliseconds?: number } {
  const { connectionTimeoutMillis } = $client.options;
  return connectionTimeoutMillis ? { patienceMilliseconds: connectionTimeoutMillis * share } : {};
}

/** Whether nothing of it can have been committed: the database itself said that it failed, or it was our own code that did. */
function isRolledBack(error: unknown): boolean {
  return isLockConflict(error) || !isDatabaseAway(error);
}
