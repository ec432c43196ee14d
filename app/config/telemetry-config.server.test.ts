import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "./config.server.ts";

const DATA_DIR = mkdtempSync(join(tmpdir(), "config-"));
const read = (env: Record<string, string> = {}) => readConfig({ DATA_DIR, ...env });

test("metrics and traces are off until they are asked for, and then not where others reach them", () => {
  expect(read()).toMatchObject({ metrics: null, tracesUrl: null, log: { level: "info", sample: 100 } });
  expect(read({ METRICS_PORT: "9464" }).metrics).toEqual({ port: 9464, host: "127.0.0.1" });
  expect(read({ METRICS_PORT: "9464", METRICS_HOST: "10.0.0.5" }).metrics?.host).toBe("10.0.0.5");
});

test("traces go below the endpoint, however it is written", () => {
  for (const endpoint of ["http://localhost:4318", "http://localhost:4318/"])
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).tracesUrl).toBe("http://localhost:4318/v1/traces");
  expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: "grpc://localhost:4317" })).toThrow(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
  );
});

test("the port of the metrics cannot be the site's own", () => {
  expect(() => read({ PORT: "3000", METRICS_PORT: "3000" })).toThrow("METRICS_PORT: must not be PORT");
});

test("the log is JSON wherever nobody sits, unless it is told otherwise", () => {
  expect(read({ NODE_ENV: "test" }).log.isPretty).toBe(false);
  expect(read({ LOG_FORMAT: "pretty" }).log.isPretty).toBe(true);
  expect(() => read({ LOG_SAMPLE: "0" })).toThrow("LOG_SAMPLE");
});
