import { expect, test } from "vitest";
import { createLog } from "../log/log.server.ts";
import { callableResult } from "./callable.server.ts";
import { runFunction } from "./callable-run.server.ts";

function prepare(milliseconds?: number) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(JSON.parse(line)) });
  const client = new AbortController();
  const { signal } = client;
  const call = { app: { log }, state: { id: "1" }, name: "f", signal, failed: "It failed.", milliseconds };
  return { call, client, lines };
}

async function answerOf(response: Response) {
  return [response.status, (await response.json()).error];
}

test("an answer within the time limit is returned", async () => {
  const { call, lines } = prepare();
  const response = await runFunction(call, async () => callableResult(1));
  expect(await response.json()).toEqual({ data: 1, result: 1 });
  expect(lines).toEqual([]);
});

test("past its time a function is answered with 504, and ends what it has begun", async () => {
  const { call, lines } = prepare(10);
  const done = Promise.withResolvers<string>();
  const held = Promise.withResolvers<void>();
  const response = await runFunction(call, async () => {
    await held.promise;
    done.resolve("done");
    throw new Error("late");
  });
  expect(await answerOf(response)).toEqual([504, { status: "DEADLINE_EXCEEDED", message: "It failed." }]);
  held.resolve();
  expect(await done.promise).toBe("done");
  await new Promise(setImmediate);
  expect(lines).toMatchObject([
    { id: "1", function: "f", status: 504, code: "deadline-exceeded" },
    { id: "1", error: { message: "late" } },
  ]);
});

test("when the client goes away it is 499 in the log, and the function ends what it has begun", async () => {
  const { call, client, lines } = prepare();
  const held = Promise.withResolvers<Response>();
  const answer = runFunction(call, () => held.promise);
  client.abort();
  expect(await answerOf(await answer)).toEqual([
    499,
    { status: "CANCELLED", message: "The call was cancelled" },
  ]);
  expect(lines).toMatchObject([{ level: "info", id: "1", function: "f", status: 499, code: "cancelled" }]);
  held.resolve(callableResult(1));
});

test("a client that is gone already begins nothing", async () => {
  const { call, client } = prepare();
  client.abort();
  let isBegun = false;
  const response = await runFunction(call, async () => {
    isBegun = true;
    return callableResult(1);
  });
  expect([response.status, isBegun]).toEqual([499, false]);
});

test("what is thrown is 500, and logged under its id", async () => {
  const { call, lines } = prepare();
  const response = await runFunction(call, () => Promise.reject(new Error("a bug")));
  expect(await answerOf(response)).toEqual([500, { status: "INTERNAL", message: "It failed." }]);
  expect(lines).toMatchObject([{ level: "error", id: "1", msg: "f failed", error: { message: "a bug" } }]);
});
