import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createRequests } from "./requests.server.ts";
import { NO_TELEMETRY } from "./telemetry.ts";
import { createCurrentWork } from "./work.server.ts";

test("what answers a request finds how long it may wait for the database, until the answer has begun", async () => {
  const currentWork = createCurrentWork();
  const log = { info() {}, debug() {} };
  const requests = createRequests(currentWork, { log, ...NO_TELEMETRY, sample: 1 });
  const began = performance.now();
  const found: unknown[] = [];
  const server = createServer((request, response) =>
    requests.begin(request, response, async () => {
      await request.resume().toArray();
      const patience = currentWork.getStore()?.patience;
      found.push({ ...patience });
      response.write("It begins");
      found.push(patience?.isAnswered);
      response.end();
    }),
  ).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}/`)).text();
  server.close();
  expect(found).toEqual([{ startedAt: expect.any(Number), lateMilliseconds: 0, isAnswered: false }, true]);
  expect(found[0]).toMatchObject({ startedAt: expect.toSatisfy((at: number) => at >= began) });
  expect(currentWork.getStore()).toBeUndefined();
});
