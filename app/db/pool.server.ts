import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import { Client, DatabaseError, Pool, type PoolClient, type PoolConfig } from "pg";
import type { DatabasePatience } from "../telemetry/work.server.ts";
import { DatabaseAwayError } from "./database-away.server.ts";
import { limitWaits, type StartWait } from "./patience.server.ts";

/** Per connection: of a thousand simultaneous forms none is refused. */
const WAITING_PER_CONNECTION = 200;

/**
 * Of the timeout: waiting in vain for a connection and then for a lock uses it up. `answer` is longer than `statement` and `lock`, so
 * that the database reports its own timeouts first. `request` and `last` are for all queries of a request (patience.server.ts), and
 * leave time to render the error page.
 */
const SHARES = {
  connection: 0.6,
  transaction: 0.4,
  lock: 0.4,
  statement: 0.6,
  answer: 0.8,
  request: 0.6,
  last: 0.1,
};
/** Transactions wait for locks; the other connections are kept for single queries. */
const TRANSACTION_SHARE = 0.6;

type Connected = Parameters<Pool["connect"]>[0];

/** A write to a standby, or to a read-only database. */
const READ_ONLY = "25006";

/** Called with a query's text, without values; the returned function is called at its end. */
export type StartQuery = (text: string) => (error?: unknown) => void;

/** `test/record-statements.ts` records the queries of a build, which has the driver bundled. */
const QUERIES = channel("query");

/**
 * pg's pool with timeouts, and a queue for transactions. A connection with an unanswered query or an open transaction is never reused:
 * the next query could join a transaction that is never committed. After a write to a standby, no older connection is used.
 */
export class BoundedPool extends Pool {
  readonly #maxWaiting: number;
  readonly #transactionMilliseconds: number;
  readonly #startWait: StartWait;
  #freeTransactionSlots: number;
  readonly #pendingTransactions = new Set<() => void>();
  #connections = new WeakSet<PoolClient>();

  constructor(
    {
      onQuery,
      patience = () => undefined,
      ...config
    }: PoolConfig & { max: number; onQuery?: StartQuery; patience?: () => DatabasePatience | undefined },
    timeoutMilliseconds: number,
  ) {
    const share = (part: keyof typeof SHARES) => Math.round(timeoutMilliseconds * SHARES[part]);
    const startWait = limitWaits(patience, { request: share("request"), last: share("last") });
    super({
      ...config,
      Client: watchedClient(
        onQuery,
        startWait,
        () => {
          this.#connections = new WeakSet();
        },
        share("answer"),
      ),
      connectionTimeoutMillis: share("connection"),
      lock_timeout: share("lock"),
      statement_timeout: share("statement"),
      // A database that has stopped answering does not keep its own timeouts either.
      query_timeout: share("answer"),
    });
    this.#maxWaiting = config.max * WAITING_PER_CONNECTION;
    this.#transactionMilliseconds = share("transaction");
    this.#startWait = startWait;
    this.#freeTransactionSlots = Math.ceil(config.max * TRANSACTION_SHARE);
    this.on("connect", (client) => this.#connections.add(client));
    this.on("release", (_error, client) => {
      if (client.getTransactionStatus() !== "I" || !this.#connections.has(client)) void client.end();
    });
  }

  /** No longer than the current request may. */
  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | undefined {
    if (callback) {
      this.#connectInTime(callback);
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
    this.#connectInTime((error, client) => (client ? resolve(client) : reject(error)));
    return promise;
  }

  #connectInTime(callback: Connected): void {
    const { options } = this;
    const own = options.connectionTimeoutMillis;
    try {
      const wait = this.#startWait();
      // pg reads the option before it returns.
      options.connectionTimeoutMillis = Math.min(own ?? 0, wait.milliseconds);
      // pg calls back from whatever freed the connection, which is another request.
      const calledBack: Connected = (error, client, release) => {
        wait.end(error);
        if (!client || this.#connections.has(client)) return callback(error, client, release);
        release(true);
        this.#connectInTime(callback);
      };
      super.connect(AsyncLocalStorage.bind(calledBack));
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), undefined, () => {});
    } finally {
      options.connectionTimeoutMillis = own;
    }
  }

  get waitingTransactions(): number {
    return this.#pendingTransactions.size;
  }

  /** Waits for a transaction slot; always releases both. */
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
    const wait = this.#startWait();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      clearTimeout(timer);
      this.#pendingTransactions.delete(start);
      wait.end();
      resolve();
    };
    const giveUp = () => {
      this.#pendingTransactions.delete(start);
      const error = new DatabaseAwayError("the transactions under way take too long");
      wait.end(error);
      reject(error);
    };
    const timer = setTimeout(giveUp, Math.min(this.#transactionMilliseconds, wait.milliseconds));
    this.#pendingTransactions.add(start);
    return promise;
  }
}

/** Closes when a query gets no answer: a late answer would be taken for that of the next query. */
function watchedClient(
  onQuery: StartQuery | undefined,
  startWait: StartWait,
  onReadOnly: () => void,
  answerMilliseconds: number,
): typeof Client {
  return class WatchedClient extends Client {
    /** Passes the overloads of the base class through. */
    override query(...args: unknown[]): never {
      const [query] = args;
      const callback = args.at(-1);
      let wait: ReturnType<StartWait>;
      try {
        wait = startWait();
      } catch (error) {
        return (typeof callback === "function" ? callback(error) : Promise.reject(error)) as never;
      }
      args[0] = {
        ...(typeof query === "string" ? { text: query } : Object(query)),
        query_timeout: Math.min(answerMilliseconds, wait.milliseconds),
      };
      const end = onQuery?.(textOf(query));
      if (QUERIES.hasSubscribers) QUERIES.publish({ client: this, args: [...args] });
      const finish = (error?: unknown) => {
        end?.(error);
        wait.end(error);
        if (error instanceof DatabaseError && error.code === READ_ONLY) onReadOnly();
        if (!error || error instanceof DatabaseError) return;
        // At once, so that the ROLLBACK that follows does not time out as well.
        void this.end();
      };
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

function textOf(query: unknown): string {
  if (typeof query === "string") return query;
  return typeof query === "object" && query !== null && "text" in query ? String(query.text) : "";
}
