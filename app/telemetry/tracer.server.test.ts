import { createServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { openTracer } from "./tracer.server.ts";
import { createCurrentWork, newWorkId } from "./work.server.ts";

/** It takes what is sent and never answers. */
const silent = createServer(() => {}).listen(0, "127.0.0.1");
afterAll(() => silent.close());

test("a collector that never answers holds up neither the work nor the end of the process", async () => {
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : 0;
  const currentWork = createCurrentWork();
  const url = `http://127.0.0.1:${port}/v1/traces`;
  const tracer = await openTracer(currentWork, { url, service: "test", version: "0" });
  // Twice what waits at most; the rest is dropped.
  for (let at = 0; at < 2_048; at++) {
    const id = newWorkId();
    const span = tracer.begin(id, "GET", "request");
    currentWork.run({ id, span }, () => tracer.step("db select", { "db.query.text": "SELECT $1" })());
    span?.end();
  }
  const closingAt = performance.now();
  await tracer.close();
  // The exporter's own limit is ten seconds for each of four batches.
  expect(performance.now() - closingAt).toBeLessThan(20_000);
});

test("outside of any work no span is made", async () => {
  const tracer = await openTracer(createCurrentWork(), {
    url: "http://127.0.0.1:1",
    service: "test",
    version: "0",
  });
  expect(() => tracer.step("db select", {})(new Error("no"))).not.toThrow();
  await tracer.close();
});
