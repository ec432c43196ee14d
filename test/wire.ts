import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** PostgreSQL's protocol: the types of messages (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const QUERY = "Q";
const EXECUTE = "E";
const NOTIFICATION = "A";

export interface Wire {
  /** The database's URL by way of this wire. */
  url(databaseUrl: string): string;
  /** How many statements went over it since it was last asked. */
  countStatements(): number;
  /** From now on, whether notifications are kept back. */
  setDeaf(isDeaf: boolean): void;
  /** From now on, whether everything is swallowed, in both directions. Connections stay open. */
  setSilent(isSilent: boolean): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A wire to the tests' PostgreSQL that sees every message. It can keep notifications back, which is what a pooler in transaction
 * mode comes to: LISTEN is answered, and nothing is ever heard.
 */
export async function openWire(databaseUrl: string, options: { isDeaf?: boolean } = {}): Promise<Wire> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let statements = 0;
  let { isDeaf = false } = options;
  let isSilent = false;
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    for (const socket of [client, database]) {
      sockets.add(socket);
      // Messages go one by one: each would wait for the one before it to be acknowledged.
      socket.setNoDelay();
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    // What a client sends first has no type.
    relay(client, database, 0, (type) => {
      if (type === QUERY || type === EXECUTE) statements++;
      return !isSilent;
    });
    relay(database, client, 1, (type) => !isSilent && !(isDeaf && type === NOTIFICATION));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = (server.address() as AddressInfo).port;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return {
    url: (url) => Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(own) }).href,
    countStatements() {
      const counted = statements;
      statements = 0;
      return counted;
    },
    setDeaf(next) {
      isDeaf = next;
    },
    setSilent(next) {
      isSilent = next;
      // What was swallowed is missing: nothing that was under way can go on.
      if (!next) for (const socket of sockets) socket.destroy();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Passes whole messages on.
 *
 * @param typeBytes how many bytes the type of the first message has; of all others, one
 */
function relay(from: Socket, to: Socket, typeBytes: 0 | 1, passes: (type: string) => boolean): void {
  let rest = Buffer.alloc(0);
  let bytes: number = typeBytes;
  from.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= bytes + 4) {
      const end = bytes + rest.readUInt32BE(bytes);
      if (rest.length < end) return;
      if (passes(rest.toString("latin1", 0, bytes))) to.write(rest.subarray(0, end));
      rest = rest.subarray(end);
      bytes = 1;
    }
  });
}
