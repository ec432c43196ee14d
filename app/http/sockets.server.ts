import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer, Server as SocketServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { PLAIN_TEXT } from "./security-headers.server.ts";

/** sd_listen_fds(3) */
const FIRST_PASSED_SOCKET = 3;

/** From accepting to its first request, when no more are accepted. */
const FIRST_REQUEST_MILLISECONDS = 200;

/** Such as ::1 where IPv6 is off. */
const ADDRESS_UNAVAILABLE_CODES = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

/**
 * Open from a process's start to its end, so that no connection is refused in between.
 * @param onError receives errors of listening sockets, such as too many open files
 * @param passed the socket to use instead of addresses
 * @param common headers of responses while the process starts
 */
export function openSockets(
  onError: (error: Error) => void,
  passed?: number,
  common = new Map<string, string>(),
) {
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
  /** An HTTP server listens on one address. */
  const others: SocketServer[] = [];

  return {
    server,
    /** Requests get a 503 until `answerWith` is called; a passed socket accepts nothing before that. @throws when an address is in use */
    async listen(port: number, [first, ...rest]: readonly (string | undefined)[]): Promise<void> {
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
    answerWith(listener: RequestListener): void {
      answer = listener;
      if (passed) server.on("error", onError).listen({ fd: passed });
    },
    /** Every response closes its connection, so that the next request goes to another process. */
    startDraining(): void {
      isDraining = true;
    },
    /** Resolves when requests in progress are answered or the timeout has passed. */
    async close(timeoutMilliseconds: number): Promise<void> {
      isDraining = true;
      // An HTTP server's own method resets connections whose first request is still on its way (Node 26).
      const closed = Promise.all(
        [server, ...others].map(
          (listening) => new Promise((resolve) => SocketServer.prototype.close.call(listening, resolve)),
        ),
      );
      await Promise.race([closed, sleep(FIRST_REQUEST_MILLISECONDS)]);
      // Connections become idle as their requests end.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await Promise.race([closed, sleep(timeoutMilliseconds)]);
      clearInterval(sweep);
      server.closeAllConnections();
    },
  };
}

/** sd_listen_fds(3): for this process, and not for the one that started it. */
export function passedSocket({
  LISTEN_PID: pid,
  LISTEN_FDS: sockets,
}: NodeJS.ProcessEnv): number | undefined {
  return pid === String(process.pid) && Number(sockets) > 0 ? FIRST_PASSED_SOCKET : undefined;
}

/** Clients can retry by Retry-After, browsers do by Refresh. */
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
