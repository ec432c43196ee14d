import { channel } from "node:diagnostics_channel";
import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient, type PoolConfig } from "pg";
import { DatabaseAwayError } from "./database-away.server.ts";
import { StatementNames, withoutName } from "./statement-names.server.ts";

/**
 * Queue length for each connection of the pool: of a thousand who send a form at the same moment, each with a query or two under way,
 * none is refused. How long a query waits is bounded by its timeout.
 */
const WAITING_PER_CONNECTION = 200;

/**
 * How the timeout is divided: waiting in vain for a connection and then for a lock uses it up. `answer` is longer than
 * `statement` and `lock`, so that the database reports its own timeouts first.
 */
const SHARES = { connection: 0.6, transaction: 0.4, lock: 0.4, statement: 0.6, answer: 0.8, probe: 0.3 };
/** Share of the connections that may be in transactions, which wait for locks; the rest is kept for single queries. */
const TRANSACTION_SHARE = 0.6;

/** The driver's message when all connections were in use for too long, which says nothing about the database. */
const POOL_EXHAUSTED = "timeout exceeded when trying to connect";

/** Told of the text of a query, which holds no values, when it begins; what it returns is told when that ends. */
export type StartQuery = (text: string) => (error?: unknown) => void;

/** Told of each query before it is sent: `bench/record-statements.ts` writes them down, also of a build that has the driver in it. */
const QUERIES = channel("query");

/** Closes itself when a query gets no answer: a late answer would be taken for that of the next query. */
class AnsweringClient extends Client {
  /** Whether a query was left unanswered. */
  isUnanswered = false;
  readonly #onQuery: StartQuery | undefined;
  readonly #names: StatementNames;
  /** A field of the driver's: whether every query has been answered. */
  declare readyForQuery: boolean;

  constructor(config: ClientConfig & { onQuery?: StartQuery; names?: StatementNames } = {}) {
    super(config);
    this.#onQuery = config.onQuery;
    this.#names = config.names ?? new StatementNames();
  }

  /** Whether neither a query nor a transaction is in progress. */
  get isIdle(): boolean {
    return this.readyForQuery && this.getTransactionStatus() === "I";
  }

  /** Passes the overloads of the base class through. */
  override query(...args: unknown[]): never {
    const text = textOf(args[0]);
    const callback = args.at(-1);
    const end = this.#onQuery?.(text);
    if (QUERIES.hasSubscribers) QUERIES.publish({ client: this, args: [...args] });
    const unnamed = withoutName(args[0]);
    if (unnamed && this.#names.areLost) args[0] = unnamed;
    if (typeof callback === "function") {
      args[args.length - 1] = (error: unknown, result: unknown) => {
        if (unnamed && this.getTransactionStatus() === "I" && this.#names.note(error)) {
          Reflect.apply(super.query, this, [unnamed, ...args.slice(1)]);
          return;
        }
        end?.(error);
        this.#closeIfUnanswered(error);
        callback(error, result);
      };
    }
    const result: unknown = Reflect.apply(super.query, this, args);
    if (result instanceof Promise)
      result.then(
        () => end?.(),
        (error: unknown) => {
          end?.(error);
          // A transaction that it ends cannot go on; done again, it has no names.
          if (unnamed) this.#names.note(error);
          this.#closeIfUnanswered(error);
        },
      );
    return result as never;
  }

  /** Immediately, so that the ROLLBACK that follows does not time out as well. */
  #closeIfUnanswered(error: unknown): void {
    if (!error || error instanceof DatabaseError) return;
    this.isUnanswered = true;
    void this.end();
  }
}

/** The text of what is passed to the driver's `query`. */
function textOf(query: unknown): string {
  if (typeof query === "string") return query;
  return typeof query === "object" && query !== null && "text" in query ? String(query.text) : "";
}

/**
 * A pool with bounded waiting: past a queue of `WAITING_PER_CONNECTION`, or while the database does not answer, it
 * fails at once with a `DatabaseAwayError`; everything else finishes or fails within the timeout. Only idle connections
 * return to the pool: on any other, the next query could become part of a transaction that is never committed.
 */
export class BoundedPool extends Pool {
  readonly #maxWaiting: number;
  readonly #transactionMilliseconds: number;
  #freeTransactionSlots: number;
  readonly #pendingTransactions = new Set<() => void>();
  readonly #probe: () => Promise<void>;
  /** A query or connection attempt got no answer, and none has succeeded since. */
  #isSuspect = false;
  /** The probe in progress, shared by all callers. */
  #probing: Promise<void> | null = null;

  /** @param timeoutMilliseconds longest time a caller may wait for the database */
  constructor(
    config: PoolConfig & { max: number; connectionString: string; onQuery?: StartQuery },
    timeoutMilliseconds: number,
  ) {
    const share = (part: keyof typeof SHARES) => Math.round(timeoutMilliseconds * SHARES[part]);
    super({
      ...config,
      ...{ Client: AnsweringClient, names: new StatementNames() },
      connectionTimeoutMillis: share("connection"),
      lock_timeout: share("lock"),
      statement_timeout: share("statement"),
      // A database that has stopped answering does not keep its own timeouts either.
      query_timeout: share("answer"),
    });
    this.#maxWaiting = config.max * WAITING_PER_CONNECTION;
    this.#transactionMilliseconds = share("transaction");
    this.#freeTransactionSlots = Math.ceil(config.max * TRANSACTION_SHARE);
    this.#probe = () => probe(config.connectionString, share("probe"));
    this.on("release", (_error, client) => {
      if (!(client instanceof AnsweringClient)) return;
      if (client.isUnanswered) this.#isSuspect = true;
      if (!client.isIdle) void client.end();
    });
  }

  /** How many transactions wait for their turn to begin. */
  get waitingTransactions(): number {
    return this.#pendingTransactions.size;
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

  async #connect(): Promise<PoolClient> {
    if (this.#isSuspect) await this.#ensureAnswering();
    if (this.waitingCount >= this.#maxWaiting)
      throw new DatabaseAwayError("too many are waiting for a connection already");
    const connecting = super.connect();
    connecting.catch((error: Error) => {
      if (error.message !== POOL_EXHAUSTED) this.#isSuspect = true;
    });
    return connecting;
  }

  /** Probes the database, once for all callers, on a connection of its own. */
  async #ensureAnswering(): Promise<void> {
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
  // An error rejects `connect` as well.
  client.on("error", () => {});
  await client.connect();
  // The database itself has accepted the connection: no query is needed, and closing need not be awaited.
  void client.end();
}
