import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "./config/config.server.ts";
import type { BoundedPool } from "./db/pool.server.ts";
import { AWAY, READ_NAMES, watchGauges } from "./figures/gauges.server.ts";
import { MEASURED, type MeasuredName } from "./telemetry/metrics.ts";
import { openMetricsSocket } from "./telemetry/metrics-socket.server.ts";
import type { Sample } from "./telemetry/registry.server.ts";
import type { openTelemetry } from "./telemetry.server.ts";

const MEASURED_NAMES = Object.keys(MEASURED) as MeasuredName[];
const READY_TIMEOUT_MILLISECONDS = 2_000;

interface Sources {
  pool: BoundedPool;
  databaseUrl: string;
  isReady: () => Promise<boolean> | false;
}

export interface Metrics {
  /** Before, a scrape reports only the process, not ready. */
  watch(sources: Sources): void;
  close(): Promise<void>;
}

/** On METRICS_PORT, if it is set. @throws when the port is taken */
export async function openMetrics(
  config: Pick<Config, "dataDir" | "metrics">,
  { registry, requests }: Pick<Awaited<ReturnType<typeof openTelemetry>>, "registry" | "requests">,
  build: { version: string; role: string },
): Promise<Metrics> {
  const address = config.metrics;
  if (!address || !registry) return { watch() {}, async close() {} };
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
    watch(given) {
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
