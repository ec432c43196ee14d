import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { eventually } from "../../http.ts";

/** A process caches its readiness for a second, so that quicker checks would count one failure several times. */
const ASK_MILLISECONDS = 700;
/** After this many bad answers in a row a process gets no requests: sooner than its socket closes, after 3 s. */
const FALL = 3;

interface Upstream {
  origin: string;
  isUp: boolean;
  /** Bad answers in a row. */
  bad: number;
  answered: number;
}

/**
 * A load balancer as in decision 0056: it sends requests in turn to the processes whose `/readyz` answers 200, and repeats none.
 */
export async function openBalancer(port: string, origins: readonly string[]) {
  const upstreams: Upstream[] = origins.map((origin) => ({ origin, isUp: false, bad: 0, answered: 0 }));
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
    /** Resolves once the process gets requests, or none any more. */
    until: (origin: string, isUp: boolean) =>
      eventually(
        async () => upstreams.find((upstream) => upstream.origin === origin)?.isUp === isUp,
        `${origin} is ${isUp ? "up" : "down"}`,
      ),
    /** How many requests each answered. */
    answered: () => upstreams.map(({ origin, answered }) => `${answered} by ${origin}`).join(", "),
    [Symbol.dispose]() {
      clearInterval(asking);
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

function pass(incoming: IncomingMessage, response: ServerResponse, to: Upstream, agent: Agent): void {
  const { method, url = "/", headers } = incoming;
  const forwarded = [headers["x-forwarded-for"], incoming.socket.remoteAddress].filter(Boolean).join(", ");
  const passed = { ...headers, "x-forwarded-for": forwarded };
  const outgoing = request(to.origin + url, { method, headers: passed, agent }, (answer) => {
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

function cut(response: ServerResponse, { origin }: Upstream, reason: string): void {
  console.log(`${origin} cut an answer: ${reason}`);
  response.destroy();
}

async function ask(upstream: Upstream): Promise<void> {
  const answer = await fetch(`${upstream.origin}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
    () => null,
  );
  await answer?.arrayBuffer().catch(() => {});
  const isReady = answer?.ok ?? false;
  upstream.bad = isReady ? 0 : upstream.bad + 1;
  if (isReady) upstream.isUp = true;
  else if (upstream.bad >= FALL) upstream.isUp = false;
}
