import { once } from "node:events";
import { statfs } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "./config/config.server.ts";
import type { BoundedPool } from "./db/pool.server.ts";
import { AWAY, READ_NAMES, watchGauges } from "./figures/gauges.server.ts";
import { MEASURED, type MeasuredName } from "./telemetry/metrics.ts";
import type { Sample } from "./telemetry/registry.server.ts";
import type { openTelemetry } from "./telemetry.server.ts";

const MEASURED_NAMES = Object.keys(MEASURED) as MeasuredName[];
const READY_TIMEOUT_MILLISECONDS = 2_000;

interface Sources {
  pool: BoundedPool;
  databaseUrl: string;
  isReady: () => Promise<boolean> | false;
}

/** On METRICS_PORT, if it is set. @throws when the port is taken */
export async function openMetrics(
  config: Pick<Config, "dataDir" | "metrics">,
  { registry, requests }: Pick<Awaited<ReturnType<typeof openTelemetry>>, "registry" | "requests">,
  build: { version: string; role: string },
) {
  const address = config.metrics;
  if (!address || !registry) return { watch(_: Sources) {}, async close() {} };
  let sources: Sources | undefined;
  let gauges: ReturnType<typeof watchGauges> | undefined;
  const socket = await openMetricsSocket(address, registry.contentType, async () => {
    const [measured, read] = await Promise.all([measure(), gauges?.read() ?? AWAY]);
    requests.flush();
    registry.replace(MEASURED_NAMES, measured);
    registry.replace(READ_NAMES, read);
    return registry.render();
  });

  return {
    /** Before, a scrape reports only the process, not ready. */
    watch(given: Sources): void {
      sources = given;
      gauges = watchGauges(given.databaseUrl);
    },
    async close() {
      await socket.close();
      await gauges?.close();
    },
  };

  async function measure(): Promise<Sample[]> {
    const late = sleep(READY_TIMEOUT_MILLISECONDS, false, { ref: false });
    const ready = Promise.race([sources?.isReady() ?? false, late]);
    const [disk, isReady] = await Promise.all([measureDisk(config.dataDir), ready]);
    return [
      { name: "site_build_info", value: 1, labels: { ...build, node: process.versions.node } },
      { name: "site_ready", value: isReady ? 1 : 0 },
      { name: "http_requests_in_progress", value: requests.inProgress() },
      ...(sources ? measurePool(sources.pool) : []),
      ...disk,
    ];
  }
}

function measurePool(pool: BoundedPool): Sample[] {
  return [
    { name: "db_pool_size", value: pool.options.max },
    { name: "db_pool_connections", value: pool.totalCount - pool.idleCount, labels: { state: "used" } },
    { name: "db_pool_connections", value: pool.idleCount, labels: { state: "idle" } },
    { name: "db_pool_waiting", value: pool.waitingCount, labels: { for: "connection" } },
    { name: "db_pool_waiting", value: pool.waitingTransactions, labels: { for: "transaction" } },
  ];
}

/** Of the folder's disk, or its parent's until it exists. */
async function measureDisk(folder: string): Promise<Sample[]> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return [
      { name: "disk_free_bytes", value: bavail * bsize },
      { name: "disk_size_bytes", value: blocks * bsize },
    ];
  } catch {
    return dirname(folder) === folder ? [] : measureDisk(dirname(folder));
  }
}

/** The port cannot be used to exhaust the process. */
const MAX_CONNECTIONS = 20;

/** No rule of a proxy has to keep the public from this port. Concurrent scrapes share one answer. @throws when it is taken */
async function openMetricsSocket(
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
