import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer, type Server as SocketServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What Node says of an address this machine does not have, such as ::1 where IPv6 is off. */
const NO_SUCH_ADDRESS = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

export interface Sockets {
  server: Server;
  /** Takes requests, which are told to come again until there is an answer. @throws when an address is taken */
  listen(port: number, hosts: readonly (string | undefined)[]): Promise<void>;
  /** Who answers from now on. */
  answerWith(listener: RequestListener): void;
  /** From now on every answer ends its connection: the next request shall find another process. */
  turnAway(): void;
  /** Takes nothing more and resolves when what is under way is answered, or `patience` milliseconds have passed. */
  close(patience: number): Promise<void>;
}

/**
 * The sockets of a process. They are open as long as it lives, so that nobody finds them closed who need not.
 *
 * @param onError of a socket that listens already: when no more files may be open, say
 */
export function openSockets(onError: (error: Error) => void): Sockets {
  const server = createHttpServer({
    requestTimeout: 30_000,
    headersTimeout: 15_000,
    keepAliveTimeout: 65_000,
    // No stream is set up for a body that is not there; see answerWith in server.ts.
    optimizeEmptyRequests: true,
  });
  let answer: RequestListener = answerWhileStarting;
  let isTurningAway = false;
  server.on("request", (request, response) => {
    if (isTurningAway) response.setHeader("Connection", "close");
    answer(request, response);
  });
  /** Of the second address and so on: one HTTP server listens on one. */
  const others: SocketServer[] = [];

  return {
    server,
    async listen(port, [first, ...rest]) {
      server.listen(port, first);
      await once(server, "listening");
      server.on("error", onError);
      for (const host of rest) {
        const other = createServer((socket) => server.emit("connection", socket)).listen(port, host);
        try {
          await once(other, "listening");
          others.push(other.on("error", onError));
        } catch (error) {
          if (!NO_SUCH_ADDRESS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
        }
      }
    },
    answerWith(listener) {
      answer = listener;
    },
    turnAway() {
      isTurningAway = true;
    },
    async close(patience) {
      isTurningAway = true;
      const closed = Promise.all(
        [server, ...others].map((listening) => new Promise((resolve) => listening.close(resolve))),
      );
      // Again and again: a connection whose request ends now would otherwise stay open for the next one.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await Promise.race([closed, sleep(patience)]);
      clearInterval(sweep);
      server.closeAllConnections();
    },
  };
}

/** Alive, but with nothing to show yet. Who knows how to wait does; a browser asks again by itself. */
function answerWhileStarting({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === "/healthz") plain(response, 200, "alive");
  else plain(response, 503, "Starting. Try again in a moment.", { "Retry-After": "1", Refresh: "1" });
}

export function plain(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { "Content-Type": "text/plain", "Cache-Control": "no-store", ...headers })
    .end(text);
}
