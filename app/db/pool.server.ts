import { channel } from "node:diagnostics_channel";
import { Client, DatabaseError, Pool, type PoolClient, type PoolConfig } from "pg";
import { DatabaseAwayError } from "./database-away.server.ts";

/** Transactions that may wait, for each connection: of a thousand who send a form at the same moment none is refused. */
const WAITING_PER_CONNECTION = 200;

/**
 * How the timeout is divided: waiting in vain for a connection and then for a lock uses it up. `answer` is longer than
 * `statement` and `lock`, so that the database reports its own timeouts first.
 */
const SHARES = { connection: 0.6, transaction: 0.4, lock: 0.4, statement: 0.6, answer: 0.8 };
/** Share of the connections that may be in transactions, which wait for locks; the rest is kept for single queries. */
const TRANSACTION_SHARE = 0.6;

/** Called with a query's text, without values, when it starts; the returned function is called when it ends. */
export type StartQuery = (text: string) => (error?: unknown) => void;

/** Published before each query: `test/record-statements.ts` records those of a build, which has the driver bundled. */
const QUERIES = channel("query");

/**
 * pg's pool with its timeouts, and a queue for transactions: everything finishes or fails within the timeout. A connection with an
 * unanswered query or an open transaction is never reused, because the next query could join a transaction that is never
 * committed.
 */
export class BoundedPool extends Pool {
  readonly #maxWaiting: number;
  readonly #transactionMilliseconds: number;
  #freeTransactionSlots: number;
  readonly #pendingTransactions = new Set<() => void>();

  /** @param timeoutMilliseconds longest time a caller may wait for the database */
  constructor(
    { onQuery, ...config }: PoolConfig & { max: number; onQuery?: StartQuery },
    timeoutMilliseconds: number,
  ) {
    const share = (part: keyof typeof SHARES) => Math.round(timeoutMilliseconds * SHARES[part]);
    super({
      ...config,
      Client: watchedClient(onQuery),
      connectionTimeoutMillis: share("connection"),
      lock_timeout: share("lock"),
      statement_timeout: share("statement"),
      // A database that has stopped answering does not keep its own timeouts either.
      query_timeout: share("answer"),
    });
    this.#maxWaiting = config.max * WAITING_PER_CONNECTION;
    this.#transactionMilliseconds = share("transaction");
    this.#freeTransactionSlots = Math.ceil(config.max * TRANSACTION_SHARE);
    this.on("release", (_error, client) => {
      if (client.getTransactionStatus() !== "I") void client.end();
    });
  }

  /** How many transactions wait for their turn to begin. */
  get waitingTransactions(): number {
    return this.#pendingTransactions.size;
  }

  /** Runs the work with a connection, once a transaction slot is free. Always releases both. */
  async withTransaction<Done>(work: (client: PoolClient) => Promise<Done>): Promise<Done> {
    await this.#acquireTransactionSlot();
    try {
      const client = await this.connect();
      try {
        return await work(client);
      } finally {
        client.release();
      }
    } finally {
      const [next] = this.#pendingTransactions;
      if (next) next();
      else this.#freeTransactionSlots++;
    }
  }

  async #acquireTransactionSlot(): Promise<void> {
    if (this.#freeTransactionSlots > 0) {
      this.#freeTransactionSlots--;
      return;
    }
    if (this.#pendingTransactions.size >= this.#maxWaiting)
      throw new DatabaseAwayError("too many are waiting for a transaction already");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      clearTimeout(timer);
      this.#pendingTransactions.delete(start);
      resolve();
    };
    const timer = setTimeout(() => {
      this.#pendingTransactions.delete(start);
      reject(new DatabaseAwayError("the transactions under way take too long"));
    }, this.#transactionMilliseconds);
    this.#pendingTransactions.add(start);
    return promise;
  }
}

/** A client that closes when a query gets no answer: a late answer would be taken for that of the next query. */
function watchedClient(onQuery: StartQuery | undefined): typeof Client {
  return class WatchedClient extends Client {
    /** Passes the overloads of the base class through. */
    override query(...args: unknown[]): never {
      const end = onQuery?.(textOf(args[0]));
      if (QUERIES.hasSubscribers) QUERIES.publish({ client: this, args: [...args] });
      const finish = (error?: unknown) => {
        end?.(error);
        // At once, so that the ROLLBACK that follows does not time out as well.
        if (error && !(error instanceof DatabaseError)) void this.end();
      };
      const callback = args.at(-1);
      if (typeof callback === "function") {
        args[args.length - 1] = (error: unknown, result: unknown) => {
          finish(error);
          callback(error, result);
        };
      }
      const result: unknown = Reflect.apply(super.query, this, args);
      if (result instanceof Promise) result.then(() => finish(), finish);
      return result as never;
    }
  };
}

/** The text of an argument of the driver's `query`. */
function textOf(query: unknown): string {
  if (typeof query === "string") return query;
  return typeof query === "object" && query !== null && "text" in query ? String(query.text) : "";
}
