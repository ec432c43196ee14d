import type { Variables } from "./environment.server.ts";

/** What the process writes down about itself, and where. */
export function telemetryFrom(vars: Variables) {
  return {
    log: {
      level: vars.LOG_LEVEL,
      /** Of pages from memory and of files one answer in so many is logged. */
      sample: vars.LOG_SAMPLE,
      /** For whoever develops, at a terminal. */
      isPretty: vars.LOG_FORMAT
        ? vars.LOG_FORMAT === "pretty"
        : vars.NODE_ENV === "development" && Boolean(process.stdout.isTTY),
    },
    /** Where the metrics are answered. `null`: nowhere. */
    metrics: vars.METRICS_PORT ? { port: vars.METRICS_PORT, host: vars.METRICS_HOST } : null,
    /** Where traces are sent. `null`: there are none. */
    tracesUrl: tracesUrlFrom(vars.OTEL_EXPORTER_OTLP_ENDPOINT),
  };
}

/** Below the endpoint, which is the one of all signals (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
function tracesUrlFrom(endpoint: string | undefined): string | null {
  return endpoint ? `${endpoint.replace(/\/$/, "")}/v1/traces` : null;
}
