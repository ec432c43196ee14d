import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/** A process caches its readiness for a second, so that quicker checks would count one failure several times. */
const ASK_MILLISECONDS = 700;
/** After this many bad answers in a row a process gets no requests: sooner than its socket closes, after 3 s. */
const FALL = 3;

interface Upstream {
  port: string;
  isUp: boolean;
  /** Bad answers in a row. */
  bad: number;
  answered: number;
}

/**
 * A load balancer as in decision 0056: it sends requests in turn to the processes whose `/readyz` answers 200, and repeats none.
 */
export async function openBalancer(port: string, upstreamPorts: readonly string[]) {
  const upstreams: Upstream[] = upstreamPorts.map((port) => ({ port, isUp: false, bad: 0, answered: 0 }));
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer((incoming, response) => {
    const up = upstreams.filter(({ isUp }) => isUp);
    const chosen = up[turn++ % up.length];
    if (chosen) pass(incoming, response, chosen, agent);
    else response.writeHead(502, { "X-Failed": "no process is ready" }).end();
  }).listen(Number(port), "127.0.0.1");
  // Only clients close connections: otherwise a request could meet one that is being closed.
  server.keepAliveTimeout = 10 * 60 * 1000;
  await once(server, "listening");
  const asking = setInterval(() => upstreams.map(ask), ASK_MILLISECONDS);

  return {
    /** Resolves once the process at this port gets requests, or none any more. */
    async until(port: string, isUp: boolean): Promise<void> {
      while (upstreams.find((upstream) => upstream.port === port)?.isUp !== isUp)
        await new Promise((resolve) => setTimeout(resolve, 50));
    },
    /** How many requests each answered. */
    answered: () => upstreams.map(({ port, answered }) => `${answered} by :${port}`).join(", "),
    close() {
      clearInterval(asking);
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

function pass(incoming: IncomingMessage, response: ServerResponse, to: Upstream, agent: Agent): void {
  const { method, url, headers } = incoming;
  const forwarded = [headers["x-forwarded-for"], incoming.socket.remoteAddress].filter(Boolean).join(", ");
  const passed = { ...headers, "x-forwarded-for": forwarded };
  const address = { port: to.port, host: "127.0.0.1", path: url };
  const outgoing = request({ ...address, method, headers: passed, agent }, (answer) => {
    to.answered++;
    const { connection: _connection, ...headers } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, headers);
    // The client must notice a cut answer.
    answer.on("aborted", () => cut(response, to, "aborted")).pipe(response);
  });
  outgoing.on("error", (error) => {
    if (response.headersSent) cut(response, to, error.message);
    else response.writeHead(502, { "X-Failed": error.message }).end();
  });
  incoming.pipe(outgoing);
}

function cut(response: ServerResponse, { port }: Upstream, reason: string): void {
  console.log(`:${port} cut an answer: ${reason}`);
  response.destroy();
}

async function ask(upstream: Upstream): Promise<void> {
  const isReady = await isReadyAt(upstream.port).catch(() => false);
  upstream.bad = isReady ? 0 : upstream.bad + 1;
  if (isReady) upstream.isUp = true;
  else if (upstream.bad >= FALL) upstream.isUp = false;
}

async function isReadyAt(port: string): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) });
  await answer.arrayBuffer();
  return answer.ok;
}
