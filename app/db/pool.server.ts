import { Client, DatabaseError, Pool, type PoolClient, type PoolConfig } from "pg";
import { DatabaseAwayError } from "./database-away.server.ts";

/** How many may wait for each connection of a pool. Even when every query is quick, the last of more would wait for longer than anybody does. */
const WAITING_PER_CONNECTION = 50;

/**
 * How a given time is shared out: a connection and then a lock that are both waited for in vain use it up. One that is
 * slow to answer is not given up sooner than the database itself would say so.
 */
const SHARES = { connection: 0.6, transaction: 0.4, lock: 0.4, statement: 0.6, answer: 0.8, probe: 0.3 };
/** How many of the connections may be in transactions, which wait for locks; the others are for those who only read. */
const TRANSACTIONS = 0.6;

/** The driver's word for a pool that has given out every connection for too long, of a database that may be well. */
const FULL = "timeout exceeded when trying to connect";

/** A connection that does not answer a question is closed: its late answer would be taken for that of the next one. */
class AnsweringClient extends Client {
  /** Whether a question was left unanswered, by a database that is mute or gone. */
  isUnanswered = false;
  /** The driver's own: whether everything it was asked has been answered. */
  declare readyForQuery: boolean;

  /** Whether nothing is under way on it: neither a question nor a transaction. */
  get isIdle(): boolean {
    return this.readyForQuery && this.getTransactionStatus() === "I";
  }

  /** The base's overloads pass through as they are. */
  override query(...asked: unknown[]): never {
    const callback = asked.at(-1);
    if (typeof callback === "function") {
      asked[asked.length - 1] = (error: unknown, answer: unknown) => {
        this.#judge(error);
        callback(error, answer);
      };
    }
    const answer: unknown = Reflect.apply(super.query, this, asked);
    if (answer instanceof Promise) answer.catch((error: unknown) => this.#judge(error));
    return answer as never;
  }

  /** At once, so that the ROLLBACK that follows does not wait as long again. */
  #judge(error: unknown): void {
    if (!error || error instanceof DatabaseError) return;
    this.isUnanswered = true;
    void this.end();
  }
}

/**
 * A pool that keeps nobody waiting: past a queue of `WAITING_PER_CONNECTION`, or while the database is mute, it says so
 * at once, and everything else within the time it is given. Only connections on which nothing is under way come back
 * into it; on any other, what the next one writes could be part of a transaction that is never committed.
 */
export class BoundedPool extends Pool {
  readonly #mostWaiting: number;
  readonly #transactionMilliseconds: number;
  #freeForTransactions: number;
  readonly #transactionsWaiting = new Set<() => void>();
  readonly #probe: () => Promise<void>;
  /** Somebody has just got no answer. */
  #isSuspect = false;
  /** Everybody waits for the same one. */
  #probing: Promise<void> | null = null;

  /** @param timeoutMilliseconds the longest that anybody may wait for the database */
  constructor(config: PoolConfig & { max: number; connectionString: string }, timeoutMilliseconds: number) {
    const share = (part: keyof typeof SHARES) => Math.round(timeoutMilliseconds * SHARES[part]);
    super({
      ...config,
      Client: AnsweringClient,
      connectionTimeoutMillis: share("connection"),
      lock_timeout: share("lock"),
      statement_timeout: share("statement"),
      // A database that says nothing at all any more keeps to no timeout of its own.
      query_timeout: share("answer"),
    });
    this.#mostWaiting = config.max * WAITING_PER_CONNECTION;
    this.#transactionMilliseconds = share("transaction");
    this.#freeForTransactions = Math.ceil(config.max * TRANSACTIONS);
    this.#probe = () => probe(config.connectionString, share("probe"));
    this.on("release", (_error, client) => {
      if (!(client instanceof AnsweringClient)) return;
      if (client.isUnanswered) this.#isSuspect = true;
      if (!client.isIdle) void client.end();
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(
    callback: (error: Error | undefined, client: PoolClient | undefined, done: PoolClient["release"]) => void,
  ): void;
  override connect(
    callback?: (
      error: Error | undefined,
      client: PoolClient | undefined,
      done: PoolClient["release"],
    ) => void,
  ): Promise<PoolClient> | undefined {
    const connecting = this.#connect();
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: Error) => callback(error, undefined, () => {}),
    );
  }

  /** Lends a connection for a transaction, when one more may be under way, and takes it back whatever happens. */
  async withTransaction<Done>(work: (client: PoolClient) => Promise<Done>): Promise<Done> {
    await this.#untilTransactionMayStart();
    try {
      const client = await this.connect();
      try {
        return await work(client);
      } finally {
        client.release();
      }
    } finally {
      const [next] = this.#transactionsWaiting;
      if (next) next();
      else this.#freeForTransactions++;
    }
  }

  async #untilTransactionMayStart(): Promise<void> {
    if (this.#freeForTransactions > 0) {
      this.#freeForTransactions--;
      return;
    }
    if (this.#transactionsWaiting.size >= this.#mostWaiting)
      throw new DatabaseAwayError("too many are waiting for a transaction already");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      clearTimeout(timer);
      this.#transactionsWaiting.delete(start);
      resolve();
    };
    const timer = setTimeout(() => {
      this.#transactionsWaiting.delete(start);
      reject(new DatabaseAwayError("the transactions under way take too long"));
    }, this.#transactionMilliseconds);
    this.#transactionsWaiting.add(start);
    return promise;
  }

  async #connect(): Promise<PoolClient> {
    if (this.#isSuspect) await this.#untilItAnswers();
    if (this.waitingCount >= this.#mostWaiting)
      throw new DatabaseAwayError("too many are waiting for a connection already");
    const connecting = super.connect();
    connecting.catch((error: Error) => {
      if (error.message !== FULL) this.#isSuspect = true;
    });
    return connecting;
  }

  /** One asks for all, on a connection of its own, whether the database is there. */
  async #untilItAnswers(): Promise<void> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
    });
    try {
      await this.#probing;
    } catch (cause) {
      throw new DatabaseAwayError("the database does not answer", { cause });
    }
    this.#isSuspect = false;
  }
}

async function probe(connectionString: string, milliseconds: number): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: milliseconds });
  // What breaks it fails the question, too.
  client.on("error", () => {});
  await client.connect();
  // Connected means let in by the database itself: there is nothing more to ask, and its goodbye is not awaited.
  void client.end();
}
