import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../test/server.ts";
import { freePort } from "./db/embedded.server.ts";
import { COUNTED, MEASURED, type Metric, READ } from "./telemetry/metrics.ts";

let server: TestServer;
let scrape: () => Promise<string>;

beforeAll(async () => {
  const port = String(await freePort());
  server = await startServer({ METRICS_PORT: port });
  scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
});
afterAll(() => server.stop());

test("a scrape describes every metric, and has what the process and the database say now", async () => {
  const text = await scrape();
  for (const [name, { type }] of Object.entries({ ...COUNTED, ...MEASURED, ...READ }))
    expect(text).toContain(`# TYPE ${name} ${type}`);
  expect(text).toMatch(
    /^site_build_info\{version="\d+\.\d+\.\d+(\+[0-9a-f]{12})?",role="all",node="26\.[\d.]+"\} 1$/m,
  );
  for (const line of ["db_up 1", "site_ready 1", "db_pool_size 20", 'log_lines_total{level="error"} 0'])
    expect(text.split("\n")).toContain(line);
  for (const name of ["disk_free_bytes", "db_size_bytes", "process_resident_memory_bytes"])
    expect(readValue(text, name)).toBeGreaterThan(1_000_000);
});

test("docs/operate.md names every metric with its labels", () => {
  const lines = readFileSync("docs/operate.md", "utf8").matchAll(/^- `(\w+)`(?: \((.+)\))?$/gm);
  expect(
    Array.from(lines, ([, name, labels = ""]) => ({ name, labels: labels.replaceAll("`", "") })),
  ).toEqual(
    Object.entries<Metric>({ ...COUNTED, ...MEASURED, ...READ }).map(([name, { labels }]) => ({
      name,
      labels: Object.keys(labels).join(", "),
    })),
  );
});

function readValue(text: string, series: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}
