import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** The port cannot be used to exhaust the process. */
const MAX_CONNECTIONS = 20;

/** No rule of a proxy has to keep the public from this port. Concurrent scrapes share one answer. @throws when it is taken */
export async function openMetricsSocket(
  { port, host }: { port: number; host: string },
  contentType: string,
  render: () => Promise<string>,
): Promise<{ close(): Promise<void> }> {
  let rendering: Promise<string> | undefined;
  const server = createServer((request, response) => void answer(request, response));
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = 5_000;
  server.requestTimeout = 5_000;
  server.listen(port, host);
  await once(server, "listening");
  // Such as too many open files: the next scrape tries again.
  server.on("error", () => {});
  // Does not keep the process alive.
  server.unref();
  return {
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };

  async function answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url?.split("?", 1)[0] !== "/metrics") send(response, 404, "The metrics are at /metrics.\n");
    else if (method !== "GET" && method !== "HEAD") send(response, 405, "This URL is only read.\n");
    else {
      rendering ??= render().finally(() => {
        rendering = undefined;
      });
      await rendering.then(
        (text) => send(response, 200, method === "HEAD" ? "" : text, contentType),
        () => send(response, 500, "The metrics could not be collected.\n"),
      );
    }
  }
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  type = "text/plain; charset=utf-8",
): void {
  response
    .writeHead(status, { "Content-Type": type, "Cache-Control": "no-store", Connection: "close" })
    .end(text);
}
