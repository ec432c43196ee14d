import type { DestinationStream } from "pino";
import type { Config } from "./config/config.server.ts";
import type { DatabaseListeners } from "./db/client.server.ts";
import { createLog } from "./log/log.server.ts";
import { NO_METERS } from "./telemetry/metrics.ts";
import { createRegistry } from "./telemetry/registry.server.ts";
import { createRequests } from "./telemetry/requests.server.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { NO_TRACER, openTracer } from "./telemetry/tracer.server.ts";
import { createCurrentWork } from "./telemetry/work.server.ts";

/** Log, metrics and traces. What the settings do not switch on is not even loaded. */
export async function openTelemetry(
  config: Pick<Config, "log" | "metrics" | "tracesUrl" | "projectId">,
  version: string,
) {
  const currentWork = createCurrentWork();
  const registry = config.metrics && (await createRegistry());
  const meters = registry?.meters ?? NO_METERS;
  const traces =
    config.tracesUrl === null
      ? null
      : await openTracer(currentWork, { url: config.tracesUrl, service: config.projectId, version });
  const telemetry: Telemetry = { meters, tracer: traces ?? NO_TRACER, currentWork };
  const log = createLog(config.log.level, config.log.isPretty ? await openPretty() : undefined, {
    currentWork,
    onEntry: (level) => meters.record("log_lines_total", { level }),
  });
  const requests = createRequests(currentWork, { log, ...telemetry, sample: config.log.sample });
  const listeners: DatabaseListeners = {
    onEvent(event) {
      meters.record("business_events_total", { event: event.event });
      log.info(event, "event");
    },
    patience: () => currentWork.getStore()?.patience,
    onQuery: (text) =>
      telemetry.tracer.step(nameOf(text), { "db.system.name": "postgresql", "db.query.text": text }),
  };
  return { log, requests, registry, telemetry, listeners, close: async () => traces?.close() };
}

function nameOf(statement: string): string {
  return `db ${/^\s*(\w+)/.exec(statement)?.[1]?.toLowerCase() ?? "query"}`;
}

/** Without the development packages logs are JSON. */
async function openPretty(): Promise<DestinationStream | undefined> {
  const pretty = await import("pino-pretty").catch(() => null);
  return pretty?.default({ ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss", sync: true });
}
