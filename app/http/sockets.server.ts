import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer, Server as SocketServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { PLAIN_TEXT } from "./security-headers.server.ts";

/** The number of the first socket that systemd passes on (sd_listen_fds(3)). */
const FIRST_PASSED_SOCKET = 3;

/** How long a connection may take from being accepted to its first request, when no more are accepted. */
const FIRST_REQUEST_MILLISECONDS = 200;

/** Error codes for an address this machine does not have, such as ::1 where IPv6 is off. */
const ADDRESS_UNAVAILABLE_CODES = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

export interface Sockets {
  server: Server;
  /**
   * Starts accepting requests; they get a 503 until `answerWith` is called. A socket that was passed accepts nothing before
   * that: what comes waits in it, as it has since the process before ended.
   *
   * @throws when an address is in use
   */
  listen(port: number, hosts: readonly (string | undefined)[]): Promise<void>;
  /** Sets the listener that handles requests from now on. */
  answerWith(listener: RequestListener): void;
  /** From now on every response closes its connection, so that the next request goes to another process. */
  startDraining(): void;
  /** Stops accepting requests; resolves when those in progress are answered or the timeout has passed. */
  close(timeoutMilliseconds: number): Promise<void>;
}

/**
 * The listening sockets of a process, open from its start to its end, so that no connection is refused in between.
 *
 * @param onError receives errors of sockets that are listening already, such as too many open files
 * @param passed the number of the socket to use instead of addresses, if the process was given one
 * @param common headers of every response, for those while the process starts
 */
export function openSockets(
  onError: (error: Error) => void,
  passed?: number,
  common = new Map<string, string>(),
): Sockets {
  const server = createHttpServer({
    requestTimeout: 30_000,
    headersTimeout: 15_000,
    keepAliveTimeout: 65_000,
  });
  let answer: RequestListener = (request, response) =>
    answerWhileStarting(request, response.setHeaders(common));
  let isDraining = false;
  server.on("request", (request, response) => {
    if (isDraining) response.setHeader("Connection", "close");
    answer(request, response);
  });
  /** For the second and further addresses, because an HTTP server listens on one. */
  const others: SocketServer[] = [];

  return {
    server,
    async listen(port, [first, ...rest]) {
      if (passed) return;
      server.listen(port, first);
      await once(server, "listening");
      server.on("error", onError);
      for (const host of rest) {
        const other = createServer((socket) => server.emit("connection", socket)).listen(port, host);
        try {
          await once(other, "listening");
          others.push(other.on("error", onError));
        } catch (error) {
          if (!ADDRESS_UNAVAILABLE_CODES.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
        }
      }
    },
    answerWith(listener) {
      answer = listener;
      if (passed) server.on("error", onError).listen({ fd: passed });
    },
    startDraining() {
      isDraining = true;
    },
    async close(timeoutMilliseconds) {
      isDraining = true;
      // Not the method of an HTTP server, which resets connections whose first request is still on its way (Node 26).
      const closed = Promise.all(
        [server, ...others].map(
          (listening) => new Promise((resolve) => SocketServer.prototype.close.call(listening, resolve)),
        ),
      );
      await Promise.race([closed, sleep(FIRST_REQUEST_MILLISECONDS)]);
      // Repeatedly, because connections become idle as their requests end.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await Promise.race([closed, sleep(timeoutMilliseconds)]);
      clearInterval(sweep);
      server.closeAllConnections();
    },
  };
}

/** The socket that systemd holds for this process, and not for the one that started it (sd_listen_fds(3)). */
export function passedSocket({
  LISTEN_PID: pid,
  LISTEN_FDS: sockets,
}: NodeJS.ProcessEnv): number | undefined {
  return pid === String(process.pid) && Number(sockets) > 0 ? FIRST_PASSED_SOCKET : undefined;
}

/** Answers while the process starts: clients can retry by Retry-After, browsers do by Refresh. */
function answerWhileStarting({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === "/healthz") sendText(response, 200, "alive");
  else
    sendText(response, 503, "The site is starting. Try again in a moment.", {
      "Retry-After": "1",
      Refresh: "1",
    });
}

export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { ...PLAIN_TEXT, ...headers }).end(text);
}
